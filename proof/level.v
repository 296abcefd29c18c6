(* level.v - a level of the binary tree, node by node, is a pass in the sense of convolution.v: what steps.v proves of one step
   gives the constants of the pass.

   SPDX-License-Identifier: LGPL-3.0-or-later *)
Require Import Reals Lra Lia Psatz Arith List.
Require Import complex convolution traced steps.
Import ListNotations.
Open Scope R_scope.

Section Level.

Variable u : R.
Hypothesis u_pos : 0 <= u.
Variables q m : nat. (* nodes; half of a node's points *)
Hypothesis m_pos : (0 < m)%nat.
Notation n := (q * (2 * m))%nat.
Variable root : nat -> C. (* of each node *)
Hypothesis root_md : forall g, md (root g) = 1.

Definition node (j : nat) := (j / (2 * m))%nat.
Definition lower (j : nat) := (j mod (2 * m) <? m)%nat.
Definition a_of (v : vec) (j : nat) := v (node j * (2 * m) + j mod m)%nat.
Definition b_of (v : vec) (j : nat) := v (node j * (2 * m) + (m + j mod m))%nat.

Lemma node_at : forall g i, (i < m)%nat ->
  node (g * (2 * m) + i) = g /\ node (g * (2 * m) + (m + i)) = g.
Proof.
  intros g i I. unfold node. split; rewrite Nat.div_add_l by lia; rewrite Nat.div_small by lia; lia.
Qed.

Lemma lower_at : forall g i, (i < m)%nat ->
  lower (g * (2 * m) + i) = true /\ lower (g * (2 * m) + (m + i)) = false.
Proof.
  intros g i I. unfold lower. split; rewrite Nat.add_comm, Nat.mod_add by lia; rewrite Nat.mod_small by lia.
  - apply Nat.ltb_lt. lia.
  - apply Nat.ltb_ge. lia.
Qed.

Lemma within_at : forall g i, (i < m)%nat -> ((g * (2 * m) + i) mod m = i /\ (g * (2 * m) + (m + i)) mod m = i)%nat.
Proof.
  intros g i I. split.
  - replace (g * (2 * m) + i)%nat with (i + (g * 2) * m)%nat by ring. rewrite Nat.mod_add by lia. apply Nat.mod_small; lia.
  - replace (g * (2 * m) + (m + i))%nat with (i + (g * 2 + 1) * m)%nat by ring. rewrite Nat.mod_add by lia. apply
    Nat.mod_small; lia.
Qed.

(* A sum over all points is one over the pairs of all nodes. *)
Lemma sum_pairs : forall f,
  sum n f = sum q (fun g => sum m (fun i => f (g * (2 * m) + i)%nat + f (g * (2 * m) + (m + i))%nat)).
Proof.
  intros f. rewrite <- sum_blocks. apply sum_ext. intros g _. rewrite sum_add.
  replace (2 * m)%nat with (m + m)%nat by lia. rewrite sum_app. reflexivity.
Qed.

Lemma sum_pairs_le : forall f h, 
  (forall g i, (i < m)%nat -> f (g * (2 * m) + i)%nat + f (g * (2 * m) + (m + i))%nat
                              <= h (g * (2 * m) + i)%nat + h (g * (2 * m) + (m + i))%nat) -> sum n f <= sum n h.
Proof.
  intros f h H. rewrite !sum_pairs. apply sum_le. intros g _. apply sum_le. intros i I. apply H. exact I.
Qed.

(* ---- forwards ---- *)

Definition split (v : vec) : vec := fun j =>
  let wb := cmul (root (node j)) (b_of v j) in if lower j then cadd (a_of v j) wb else csub (a_of v j) wb.
Definition upper (v : vec) : vec := fun j => if lower j then czero else v j.

(* out g a b: what the code leaves of a pair of node g *)
Variable out : nat -> C -> C -> list C.
Variable T : R.
Hypothesis T_pos : 0 <= T.
Hypothesis out_near : forall g a b, forward_spec u T (cmul (root g) b) a b (out g a b).

Definition split_computed (v : vec) : vec := fun j =>
  nth (if lower j then 0 else 1) (out (node j) (a_of v j) (b_of v j)) czero.

Lemma sq_root : forall g b, sq (cmul (root g) b) = sq b.
Proof. intros g b. rewrite <- !md_sq, md_mul, root_md. ring. Qed.

Lemma split_norm : forall v, nrm n (split v) <= sqrt 2 * nrm n v.
Proof.
  intros v. pose proof (nrm_pos n v). pose proof (sqrt_pos 2).
  apply nrm_le; [apply Rmult_le_pos; assumption|].
  replace (sqrt 2 * nrm n v * (sqrt 2 * nrm n v)) with (sqrt 2 * sqrt 2 * (nrm n v * nrm n v)) by ring.
  rewrite sqrt_sqrt by lra. rewrite nrm_sq, <- sum_scal. apply sum_pairs_le. intros g i I.
  unfold split, a_of, b_of.
  destruct (node_at g i I) as [N1 N2]. destruct (lower_at g i I) as [L1 L2]. destruct (within_at g i I) as [W1 W2].
  rewrite N1, N2, L1, L2, W1, W2.
  rewrite <- (sq_root g (v (g * (2 * m) + (m + i))%nat)).
  set (a := v (g * (2 * m) + i)%nat). set (b := cmul (root g) (v (g * (2 * m) + (m + i))%nat)).
  right. unfold sq, cadd, csub; simpl. ring.
Qed.

Lemma upper_md : forall v i, md (upper v i) <= md (v i).
Proof.
  intros v i. unfold upper. destruct (lower i); [|lra]. unfold md at 1. rewrite sq_zero, sqrt_0. apply md_pos.
Qed.

(* The b of each pair, at both places. *)
Lemma b_norm : forall v, nrm n (b_of v) <= sqrt 2 * nrm n (upper v).
Proof.
  intros v. pose proof (nrm_pos n (upper v)). pose proof (sqrt_pos 2).
  apply nrm_le; [apply Rmult_le_pos; assumption|].
  replace (sqrt 2 * nrm n (upper v) * (sqrt 2 * nrm n (upper v))) with (sqrt 2 * sqrt 2 * (nrm n (upper v) * nrm n (upper
    v))) by ring.
  rewrite sqrt_sqrt by lra. rewrite nrm_sq, <- sum_scal. apply sum_pairs_le. intros g i I.
  unfold upper, b_of.
  destruct (node_at g i I) as [N1 N2]. destruct (lower_at g i I) as [L1 L2]. destruct (within_at g i I) as [W1 W2].
  rewrite N1, N2, L1, L2, W1, W2, sq_zero. right. ring.
Qed.

Lemma split_near_at : forall v j,
  md (csub (split_computed v j) (split v j)) <= u * md (split v j) + (1 + u) * (exp (T * u) - 1) * md (b_of v j).
Proof.
  intros v j. unfold split_computed, split.
  set (a := a_of v j). set (b := b_of v j). set (wb := cmul (root (node j)) b).
  destruct (out_near (node j) a b) as [c [Q H]]. fold wb in Q.
  destruct (out (node j) a b) as [|x [|y [|z r]]]; try contradiction. destruct H as [HX HY].
  assert (G : forall e s s', md (csub e s') <= u * md s' -> md (csub s' s) = md (csub c wb) ->
    md (csub e s) <= u * md s + (1 + u) * (exp (T * u) - 1) * md b).
  { intros e s s' H D. pose proof (md_via e s' s). pose proof (md_near s' s). rewrite D in *.
    assert (u * md s' <= u * (md s + (exp (T * u) - 1) * md b)) by (apply Rmult_le_compat_l; lra). lra. }
  destruct (lower j); simpl.
  - apply (G x _ (cadd a c) HX). f_equal. csimp.
  - apply (G y _ (csub a c) HY). rewrite md_opp. f_equal. csimp.
Qed.

Definition binary_pass : pass :=
  {| exact := split; computed := split_computed; behind := upper; factor := sqrt 2; plain := 1; twiddle := T |}.

Theorem binary_pass_ok : pass_ok u n binary_pass.
Proof.
  constructor; cbn [exact computed behind factor plain twiddle binary_pass]; try lra.
  - apply sqrt_pos.
  - intros v w i _. unfold split, a_of, b_of, vsub. destruct (lower i); csimp.
  - apply split_norm.
  - intros v. apply Rle_trans with (1 * nrm n v); [|lra]. apply nrm_scaled; [lra|]. intros i _.
    pose proof (upper_md v i). lra.
  - intros v w. pose proof (nrm_combine n (upper v) (upper w) (vsub v w) 1 1) as H. rewrite !Rmult_1_l in H. apply H; try lra.
    intros i _. rewrite !Rmult_1_l. unfold upper, vsub. destruct (lower i); [|apply md_near].
    pose proof (md_pos (csub (v i) (w i))). pose proof (md_pos czero). lra.
  - intros v. unfold pass_error; cbn [exact computed behind factor plain twiddle binary_pass]. rewrite !Rmult_1_l.
    assert (T1 : 0 <= exp (T * u) - 1) by (pose proof (exp_ge1 (T * u) (Rmult_le_pos _ _ T_pos u_pos)); lra).
    pose proof (exp_above u) as EU. pose proof (nrm_pos n v). pose proof (nrm_pos n (upper v)). pose proof (sqrt_pos 2).
    apply Rle_trans with (u * nrm n (split v) + (1 + u) * (exp (T * u) - 1) * nrm n (b_of v)).
    + apply nrm_combine; [assumption|apply Rmult_le_pos; lra|]. intros i _. apply split_near_at.
    + pose proof (split_norm v). pose proof (b_norm v).
      apply Rle_trans with ((exp u - 1) * (sqrt 2 * nrm n v) + exp u * (exp (T * u) - 1) * (sqrt 2 * nrm n (upper v)));
        [|right; ring].
      apply Rplus_le_compat; apply Rmult_le_compat; try assumption; try apply nrm_pos; try lra.
      * apply Rmult_le_pos; lra.
      * apply Rmult_le_compat_r; lra.
Qed.

(* ---- backwards ---- *)

Definition join (v : vec) : vec := fun j =>
  if lower j then cadd (a_of v j) (b_of v j) else cmul (conj (root (node j))) (csub (a_of v j) (b_of v j)).

Variable back : nat -> C -> C -> list C.
Variable I : R.
Hypothesis I_above : 1 <= I.
Hypothesis back_near : forall g a b, inverse_spec u I (root g) a b (back g a b).

Definition join_computed (v : vec) : vec := fun j =>
  nth (if lower j then 0 else 1) (back (node j) (a_of v j) (b_of v j)) czero.
Definition binary_ipass : ipass := {| iexact := join; icomputed := join_computed; arity := 2; iconst := I |}.

Lemma reads_pair : forall f j,
  reads m 2 f j = f (node j * (2 * m) + j mod m)%nat + f (node j * (2 * m) + (m + j mod m))%nat.
Proof.
  intros f j. unfold reads, node. simpl sum. rewrite Rplus_0_l. f_equal; f_equal; simpl; lia.
Qed.

Lemma md_difference : forall a b, md (csub a b) <= md a + md b.
Proof.
  intros a b. pose proof (md_via a czero b) as H. rewrite (md_opp czero b) in H.
  replace (csub a czero) with a in H by csimp. replace (csub b czero) with b in H by csimp. exact H.
Qed.

Theorem binary_ipass_ok : ipass_ok u n m binary_ipass.
Proof.
  assert (E : u <= exp (I * u) - 1).
  { pose proof (exp_above (I * u)). assert (1 * u <= I * u) by (apply Rmult_le_compat_r; assumption). lra. }
  constructor; cbn [iexact icomputed arity iconst binary_ipass]; try lra; try lia.
  - intros v w j _. unfold join, a_of, b_of, vsub. destruct (lower j); csimp.
  - intros v j _. rewrite reads_pair. fold (a_of v j) (b_of v j). unfold join.
    destruct (lower j); [apply md_add|]. rewrite md_mul, md_conj, root_md, Rmult_1_l. apply md_difference.
  - intros v j _. rewrite reads_pair. fold (a_of v j) (b_of v j). unfold join, join_computed.
    pose proof (back_near (node j) (a_of v j) (b_of v j)) as B.
    destruct (back (node j) (a_of v j) (b_of v j)) as [|x [|y [|z r]]]; try contradiction. destruct B as [BX BY].
    destruct (lower j); simpl.
    + apply Rle_trans with (1 := BX). apply Rmult_le_compat; try assumption; [apply md_pos|apply md_add].
    + apply Rle_trans with (1 := BY). apply Rmult_le_compat_l; [lra|apply md_difference].
Qed.

End Level.

(* The steps of the code, with FMA, rounded to nearest: T = 1 + beta and I = 3 + beta in units of 2^-53. *)
Section Code.

Variables q m : nat.
Hypothesis m_pos : (0 < m)%nat.
Variables c tau : nat -> R. (* the stored twiddles of the nodes *)
Variable root : nat -> C.
Variable beta : R.
Hypothesis beta_pos : 0 <= beta.
Hypothesis root_md : forall g, md (root g) = 1.
Hypothesis stored_near : forall g, md (csub (point (c g) (c g * tau g)) (root g)) <= beta * u53.

Theorem code_level_forward :
  pass_ok u53 (q * (2 * m)) (binary_pass m root (fun g => step_forward_fma rnd53 (c g) (tau g)) (1 + beta)).
Proof.
  assert (T : 0 <= 1 + beta) by lra.
  apply (binary_pass_ok u53 u53_pos q m m_pos root root_md _ (1 + beta) T).
  intros g a b. apply (step_forward u53 u53_pos rnd53 rnd53_near (c g) (tau g) beta (root g) (root_md g) beta_pos
    (stored_near g)).
Qed.

Theorem code_level_inverse :
  ipass_ok u53 (q * (2 * m)) m (binary_ipass m root (fun g => step_inverse_fma rnd53 (c g) (tau g)) (3 + beta)).
Proof.
  assert (I : 1 <= 3 + beta) by lra.
  apply (binary_ipass_ok u53 u53_pos q m m_pos root root_md _ (3 + beta) I).
  intros g a b. apply (step_inverse u53 u53_pos rnd53 rnd53_near (c g) (tau g) beta (root g) (root_md g) beta_pos
    (stored_near g)).
Qed.

End Code.
