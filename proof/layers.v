(* layers.v - what makes a bound of a pass of what a script of layers proves: README.md, "Layers".

   Schur's test, for symmetric matrices: if |G| y <= s y with y > 0, the form of G is at most s times the square of the norm.

   SPDX-License-Identifier: LGPL-3.0-or-later *)
Require Import Reals Lra Lia Psatz Arith.
Require Import complex.
Open Scope R_scope.

Section Schur.

Variable n : nat.
Variable G : nat -> nat -> R.
Hypothesis symmetric : forall i j, G i j = G j i.
Variable y : nat -> R.
Hypothesis y_pos : forall i, (i < n)%nat -> 0 < y i.

Lemma sum_swap : forall k m (f : nat -> nat -> R), sum k (fun i => sum m (fun j => f i j)) = sum m (fun j => sum k (fun i =>
  f i j)).
Proof.
  induction k; intros m f; simpl.
  - induction m; simpl; [reflexivity|rewrite <- IHm; ring].
  - rewrite IHk. rewrite <- sum_add. reflexivity.
Qed.

(* Each mixed term by both squares. *)
Lemma mixed : forall g a b p q, 0 < p -> 0 < q -> g * a * b <= Rabs g * (/ 2) * (q / p * (a * a) + p / q * (b * b)).
Proof.
  intros g a b p q P Q.
  assert (S : 2 * (Rabs a * Rabs b) <= q / p * (a * a) + p / q * (b * b)).
  { assert (D : 0 <= (q * Rabs a - p * Rabs b) * (q * Rabs a - p * Rabs b) * (/ (p * q))).
    { apply Rmult_le_pos; [apply Rle_0_sqr|]. left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; assumption. }
    replace ((q * Rabs a - p * Rabs b) * (q * Rabs a - p * Rabs b) * (/ (p * q)))
      with (q / p * (Rabs a * Rabs a) + p / q * (Rabs b * Rabs b) - 2 * (Rabs a * Rabs b)) in D by (field; lra).
    rewrite !square_abs in D. lra. }
  apply Rle_trans with (Rabs (g * a * b)); [apply Rle_abs|]. rewrite !Rabs_mult.
  pose proof (Rabs_pos g). nra.
Qed.

Theorem schur_rows : forall v,
  sum n (fun i => sum n (fun j => G i j * v i * v j)) <= sum n (fun i => sum n (fun j => Rabs (G i j) * y j) / y i * (v i * v i)).
Proof.
  intros v.
  apply Rle_trans with (sum n (fun i => sum n (fun j => Rabs (G i j) * (/ 2) * (y j / y i * (v i * v i) + y i / y j * (v j *
    v j))))).
  - apply sum_le. intros i Hi. apply sum_le. intros j Hj. apply mixed; apply y_pos; assumption.
  - rewrite (sum_ext n _ (fun i => sum n (fun j => Rabs (G i j) * (/ 2) * (y j / y i * (v i * v i)))
                                   + sum n (fun j => Rabs (G i j) * (/ 2) * (y i / y j * (v j * v j))))).
    2: { intros i _. rewrite <- sum_add. apply sum_ext. intros j _. ring. }
    rewrite sum_add.
    rewrite (sum_swap n n (fun i j => Rabs (G i j) * (/ 2) * (y i / y j * (v j * v j)))).
    rewrite (sum_ext n (fun j => sum n (fun i => Rabs (G i j) * (/ 2) * (y i / y j * (v j * v j))))
                       (fun i => sum n (fun j => Rabs (G i j) * (/ 2) * (y j / y i * (v i * v i))))).
    2: { intros j _. apply sum_ext. intros i _. rewrite (symmetric i j). ring. }
    rewrite <- sum_add. right. apply sum_ext. intros i Hi.
    rewrite <- sum_add. unfold Rdiv.
    rewrite (Rmult_comm (sum n _ * / y i)). rewrite <- Rmult_assoc. rewrite (Rmult_comm (v i * v i * sum n _)).
    rewrite <- Rmult_assoc. rewrite <- sum_scal. apply sum_ext. intros j _. field. apply Rgt_not_eq. apply y_pos. exact Hi.
Qed.

Theorem schur : forall s, (forall i, (i < n)%nat -> sum n (fun j => Rabs (G i j) * y j) <= s * y i) ->
  forall v, sum n (fun i => sum n (fun j => G i j * v i * v j)) <= s * sum n (fun i => v i * v i).
Proof.
  intros s H v. apply Rle_trans with (1 := schur_rows v). rewrite <- sum_scal. apply sum_le. intros i Hi.
  apply Rmult_le_compat_r; [apply Rle_0_sqr|]. pose proof (y_pos i Hi).
  apply Rmult_le_reg_r with (y i); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r. apply
    H; exact Hi.
Qed.

End Schur.

(* ---- one layer: k operations on m inputs, with o outputs ---- *)

Section Layer.

Variables k m o : nat.
Variable A : nat -> nat -> R. (* operation i of the inputs *)
Variable J : nat -> nat -> R. (* output of the error of operation i: J output i *)
Variable h : nat -> R.        (* weights: rows of |J^T J|, by weights z of errors *)
Variable z : nat -> R.
Variable u s : R.
Hypothesis u_pos : 0 <= u.

Definition value (r : nat -> R) (i : nat) := sum m (fun a => A i a * r a).
Definition gram (i j : nat) := sum o (fun x => J x i * J x j).

Hypothesis z_pos : forall i, (i < k)%nat -> 0 < z i.
Hypothesis rows : forall i, (i < k)%nat -> sum k (fun j => Rabs (gram i j) * z j) / z i <= h i.
Definition weighted (a b : nat) := sum k (fun i => h i * (A i a * A i b)).
Variable y : nat -> R.
Hypothesis y_pos : forall a, (a < m)%nat -> 0 < y a.
Hypothesis columns : forall a, (a < m)%nat -> sum m (fun b => Rabs (weighted a b) * y b) <= s * y a.

Lemma square_of_sum : forall n (f : nat -> R), sum n f * sum n f = sum n (fun i => sum n (fun j => f i * f j)).
Proof.
  intros n f. rewrite <- sum_scal. apply sum_ext. intros i _. rewrite Rmult_comm. rewrite <- sum_scal. reflexivity.
Qed.

(* The errors d of one layer, each at most u times its value, arrive with a norm of at most u sqrt(s) times that of the inputs. *)
Theorem layer : forall r d, (forall i, (i < k)%nat -> Rabs (d i) <= u * Rabs (value r i)) ->
  sum o (fun x => sum k (fun i => J x i * d i) * sum k (fun i => J x i * d i)) <= u * u * (s * sum m (fun a => r a * r a)).
Proof.
  intros r d D.
  assert (E : sum o (fun x => sum k (fun i => J x i * d i) * sum k (fun i => J x i * d i))
              = sum k (fun i => sum k (fun j => gram i j * d i * d j))).
  { rewrite (sum_ext o _ (fun x => sum k (fun i => sum k (fun j => J x i * d i * (J x j * d j))))).
    2: { intros x _. apply (square_of_sum k (fun i => J x i * d i)). }
    rewrite sum_swap. apply sum_ext. intros i _. rewrite sum_swap. apply sum_ext. intros j _.
    unfold gram. rewrite (Rmult_assoc (sum o _)), (Rmult_comm (sum o _)). rewrite <- sum_scal. apply sum_ext. intros x _. ring. }
  rewrite E.
  assert (S : forall i j, gram i j = gram j i) by (intros; unfold gram; apply sum_ext; intros; ring).
  apply Rle_trans with (1 := schur_rows k gram S z z_pos d).
  apply Rle_trans with (sum k (fun i => u * u * (h i * (value r i * value r i)))).
  - apply sum_le. intros i Hi.
    pose proof (rows i Hi) as R1.
    assert (H0 : 0 <= h i).
    { apply Rle_trans with (2 := R1). apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; apply z_pos; exact Hi].
      apply sum_pos. intros j Hj. apply Rmult_le_pos; [apply Rabs_pos|left; apply z_pos; exact Hj]. }
    assert (Q : d i * d i <= u * u * (value r i * value r i)).
    { rewrite <- (square_abs (d i)), <- (square_abs (value r i)). specialize (D i Hi). pose proof (Rabs_pos (d i)).
      replace (u * u * (Rabs (value r i) * Rabs (value r i))) with (u * Rabs (value r i) * (u * Rabs (value r i))) by ring.
      apply Rmult_le_compat; assumption. }
    apply Rle_trans with (h i * (d i * d i)); [apply Rmult_le_compat_r; [apply Rle_0_sqr|exact R1]|].
    replace (u * u * (h i * (value r i * value r i))) with (h i * (u * u * (value r i * value r i))) by ring.
    apply Rmult_le_compat_l; assumption.
  - rewrite sum_scal. apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption|].
    rewrite (sum_ext k _ (fun i => sum m (fun a => sum m (fun b => h i * (A i a * A i b) * r a * r b)))).
    2: { intros i _. unfold value. rewrite square_of_sum. rewrite <- sum_scal. apply sum_ext. intros a _.
         rewrite <- sum_scal. apply sum_ext. intros b _. ring. }
    rewrite sum_swap.
    rewrite (sum_ext m _ (fun a => sum m (fun b => weighted a b * r a * r b))).
    2: { intros a _. rewrite sum_swap. apply sum_ext. intros b _. unfold weighted.
         rewrite (Rmult_assoc (sum k _)), (Rmult_comm (sum k _)). rewrite <- sum_scal. apply sum_ext. intros; ring. }
    apply (schur m weighted) with (y := y).
    + intros a b. unfold weighted. apply sum_ext. intros; ring.
    + exact y_pos.
    + exact columns.
Qed.

End Layer.
