(* complex.v - complex numbers, sums, norms, Cauchy and Schwarz: what the other files need, and no more.

   SPDX-License-Identifier: LGPL-3.0-or-later *)
Require Import Reals Lra Lia Psatz Arith.
Open Scope R_scope.

Record C := point { re : R; im : R }.

Definition cadd a b := point (re a + re b) (im a + im b).
Definition csub a b := point (re a - re b) (im a - im b).
Definition cmul a b := point (re a * re b - im a * im b) (re a * im b + im a * re b).
Definition conj a := point (re a) (- im a).
Definition czero := point 0 0.

(* square of the modulus; modulus *)
Definition sq a := re a * re a + im a * im a.
Definition md a := sqrt (sq a).

Lemma sq_pos : forall a, 0 <= sq a.
Proof. intros a. unfold sq. nra. Qed.

Lemma md_pos : forall a, 0 <= md a.
Proof. intros. apply sqrt_pos. Qed.

Lemma md_sq : forall a, md a * md a = sq a.
Proof. intros a. apply sqrt_sqrt. apply sq_pos. Qed.

Lemma md_le : forall a x, 0 <= x -> sq a <= x * x -> md a <= x.
Proof.
  intros a x X H. unfold md. rewrite <- (sqrt_square x) by exact X. apply sqrt_le_1_alt. exact H.
Qed.

Lemma le_md : forall a x, x * x <= sq a -> x <= md a.
Proof.
  intros a x H. destruct (Rle_or_lt x 0) as [N|P].
  - apply Rle_trans with 0; [exact N|apply md_pos].
  - unfold md. rewrite <- (sqrt_square x) by lra. apply sqrt_le_1_alt. exact H.
Qed.

Lemma square_abs : forall x, Rabs x * Rabs x = x * x.
Proof. intros x. rewrite <- Rabs_mult. apply Rabs_right. apply Rle_ge. apply Rle_0_sqr. Qed.

Lemma re_md : forall a, Rabs (re a) <= md a.
Proof. intros a. apply le_md. rewrite square_abs. unfold sq. nra. Qed.

Lemma im_md : forall a, Rabs (im a) <= md a.
Proof. intros a. apply le_md. rewrite square_abs. unfold sq. nra. Qed.

Lemma md_mul : forall a b, md (cmul a b) = md a * md b.
Proof.
  intros a b. unfold md. rewrite <- sqrt_mult; try apply sq_pos. f_equal. unfold sq, cmul; simpl. ring.
Qed.

Lemma md_conj : forall a, md (conj a) = md a.
Proof. intros a. unfold md. f_equal. unfold sq, conj; simpl. ring. Qed.

Lemma sq_zero : sq czero = 0.
Proof. unfold sq, czero; simpl. ring. Qed.

Lemma md_add : forall a b, md (cadd a b) <= md a + md b.
Proof.
  intros a b. pose proof (md_pos a). pose proof (md_pos b).
  apply md_le; [lra|].
  assert (X : re a * re b + im a * im b <= md a * md b).
  { destruct (Rle_or_lt (re a * re b + im a * im b) 0) as [N|P].
    - apply Rle_trans with 0; [exact N|apply Rmult_le_pos; assumption].
    - unfold md. rewrite <- sqrt_mult by apply sq_pos.
      rewrite <- (sqrt_square (re a * re b + im a * im b)) by lra. apply sqrt_le_1_alt.
      assert (0 <= Rsqr (re a * im b - im a * re b)) by apply Rle_0_sqr. unfold Rsqr, sq in *. lra. }
  replace ((md a + md b) * (md a + md b)) with (md a * md a + md b * md b + 2 * (md a * md b)) by ring.
  rewrite !md_sq. unfold sq, cadd in *; simpl. lra.
Qed.

Lemma C_eq : forall a b, re a = re b -> im a = im b -> a = b.
Proof. intros [a1 a2] [b1 b2]; simpl; intros; subst; reflexivity. Qed.

Ltac csimp := apply C_eq; unfold cadd, csub, cmul, conj, czero; simpl; try ring.

Lemma md_opp : forall a b, md (csub a b) = md (csub b a).
Proof. intros. unfold md. f_equal. unfold sq, csub; simpl. ring. Qed.

(* |a - c| <= |a - b| + |b - c| *)
Lemma md_via : forall a b c, md (csub a c) <= md (csub a b) + md (csub b c).
Proof.
  intros a b c. replace (csub a c) with (cadd (csub a b) (csub b c)) by csimp. apply md_add.
Qed.

(* |a| <= |b| + |a - b| *)
Lemma md_near : forall a b, md a <= md b + md (csub a b).
Proof.
  intros a b. replace a with (cadd b (csub a b)) at 1 by csimp. apply md_add.
Qed.

(* ---- sums ---- *)

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S m => sum m f + f m end.

Lemma sum_ext : forall n f g, (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n; intros f g H; simpl; [reflexivity|].
  rewrite (IHn f g), (H n); auto with arith.
Qed.

Lemma sum_le : forall n f g, (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n; intros f g H; simpl; [lra|].
  apply Rplus_le_compat; [apply IHn; auto with arith|apply H; auto with arith].
Qed.

Lemma sum_pos : forall n f, (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof.
  induction n; intros f H; simpl; [lra|].
  apply Rplus_le_le_0_compat; [apply IHn; auto with arith|apply H; auto with arith].
Qed.

Lemma sum_add : forall n f g, sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n; intros; simpl; [ring|rewrite IHn; ring]. Qed.

Lemma sum_scal : forall n a f, sum n (fun i => a * f i) = a * sum n f.
Proof. induction n; intros; simpl; [ring|rewrite IHn; ring]. Qed.

Lemma sum_app : forall n m f, sum (n + m) f = sum n f + sum m (fun i => f (n + i)%nat).
Proof.
  induction m; intros f; simpl.
  - rewrite Nat.add_0_r. ring.
  - rewrite Nat.add_succ_r. simpl. rewrite IHm. ring.
Qed.

(* A sum of blocks of m. *)
Lemma sum_blocks : forall r m f, sum r (fun t => sum m (fun i => f (t * m + i)%nat)) = sum (r * m) f.
Proof.
  induction r; intros m f; simpl; [reflexivity|].
  rewrite IHr. rewrite Nat.add_comm. rewrite sum_app. reflexivity.
Qed.

(* A term is at most the sum. *)
Lemma sum_term : forall n f k, (forall i, (i < n)%nat -> 0 <= f i) -> (k < n)%nat -> f k <= sum n f.
Proof.
  induction n; intros f k H K; [lia|]. simpl.
  destruct (Nat.eq_dec k n) as [->|N].
  - assert (0 <= sum n f) by (apply sum_pos; intros; apply H; lia). lra.
  - assert (f k <= sum n f) by (apply IHn; [intros; apply H; lia|lia]).
    assert (0 <= f n) by (apply H; lia). lra.
Qed.

Lemma cauchy_sq : forall n f g,
  sum n (fun i => f i * g i) * sum n (fun i => f i * g i) <= sum n (fun i => f i * f i) * sum n (fun i => g i * g i).
Proof.
  induction n; intros f g; simpl; [lra|].
  pose proof (IHn f g) as H.
  set (a := sum n (fun i => f i * f i)) in *. set (b := sum n (fun i => g i * g i)) in *.
  set (c := sum n (fun i => f i * g i)) in *.
  assert (A : 0 <= a) by (apply sum_pos; intros; nra).
  assert (B : 0 <= b) by (apply sum_pos; intros; nra).
  assert (K : 2 * c * (f n * g n) <= a * (g n * g n) + b * (f n * f n)).
  { set (x := f n). set (y := g n).
    assert (S1 : sqrt a * sqrt a = a) by (apply sqrt_sqrt; exact A).
    assert (S2 : sqrt b * sqrt b = b) by (apply sqrt_sqrt; exact B).
    assert (P : Rabs c <= sqrt a * sqrt b).
    { rewrite <- sqrt_mult by assumption. rewrite <- (sqrt_Rsqr_abs c). apply sqrt_le_1_alt. unfold Rsqr. exact H. }
    assert (Q : 2 * c * (x * y) <= 2 * (sqrt a * sqrt b) * (Rabs x * Rabs y)).
    { rewrite <- Rabs_mult. apply Rle_trans with (Rabs (2 * c * (x * y))); [apply Rle_abs|].
      rewrite !Rabs_mult. rewrite (Rabs_right 2) by lra.
      rewrite <- Rabs_mult. pose proof (Rabs_pos (x * y)). nra. }
    assert (0 <= Rsqr (sqrt a * Rabs y - sqrt b * Rabs x)) by apply Rle_0_sqr.
    assert (Rabs y * Rabs y = y * y) by (rewrite <- Rabs_mult; apply Rabs_right; nra).
    assert (Rabs x * Rabs x = x * x) by (rewrite <- Rabs_mult; apply Rabs_right; nra).
    unfold Rsqr in *.
    replace (a * (y * y) + b * (x * x)) with ((sqrt a * sqrt a) * (Rabs y * Rabs y) + (sqrt b * sqrt b) * (Rabs x * Rabs x))
      by (rewrite S1, S2; congruence).
    lra. }
  nra.
Qed.

(* ---- vectors and their norm ---- *)

Definition vec := nat -> C.
Definition vsub (v w : vec) : vec := fun i => csub (v i) (w i).
Definition nrm n (v : vec) := sqrt (sum n (fun i => sq (v i))).
Definition nrm1 n (v : vec) := sum n (fun i => md (v i)).

Lemma nrm_pos : forall n v, 0 <= nrm n v.
Proof. intros. apply sqrt_pos. Qed.

Lemma nrm_sq : forall n v, nrm n v * nrm n v = sum n (fun i => sq (v i)).
Proof. intros. apply sqrt_sqrt. apply sum_pos. intros. apply sq_pos. Qed.

Lemma nrm_le : forall n v x, 0 <= x -> sum n (fun i => sq (v i)) <= x * x -> nrm n v <= x.
Proof.
  intros n v x X H. unfold nrm. rewrite <- (sqrt_square x) by exact X. apply sqrt_le_1_alt. exact H.
Qed.

Lemma nrm1_pos : forall n v, 0 <= nrm1 n v.
Proof. intros. apply sum_pos. intros. apply md_pos. Qed.

Lemma nrm_moduli : forall n v, sum n (fun i => md (v i) * md (v i)) = nrm n v * nrm n v.
Proof. intros. rewrite nrm_sq. apply sum_ext. intros. apply md_sq. Qed.

(* Cauchy and Schwarz *)
Lemma cauchy : forall n v w, sum n (fun i => md (v i) * md (w i)) <= nrm n v * nrm n w.
Proof.
  intros n v w.
  pose proof (cauchy_sq n (fun i => md (v i)) (fun i => md (w i))) as H. simpl in H.
  rewrite !nrm_moduli in H.
  pose proof (nrm_pos n v). pose proof (nrm_pos n w).
  set (c := sum n (fun i => md (v i) * md (w i))) in *.
  assert (0 <= c) by (apply sum_pos; intros; apply Rmult_le_pos; apply md_pos).
  apply Rsqr_incr_0; [unfold Rsqr; nra|assumption|nra].
Qed.

(* If every |v_i| is at most a sum of two others' multiples, so is the norm. *)
Lemma nrm_combine : forall n v x y a b, 0 <= a -> 0 <= b ->
  (forall i, (i < n)%nat -> md (v i) <= a * md (x i) + b * md (y i)) -> nrm n v <= a * nrm n x + b * nrm n y.
Proof.
  intros n v x y a b A B H.
  pose proof (nrm_pos n x). pose proof (nrm_pos n y).
  apply nrm_le; [nra|].
  apply Rle_trans with (sum n (fun i => a * a * (md (x i) * md (x i)) + (2 * (a * b) * (md (x i) * md (y i)) + b * b * (md (y
    i) * md (y i))))).
  - apply sum_le. intros i I. rewrite <- md_sq. specialize (H i I). pose proof (md_pos (v i)). pose proof (md_pos (x i)).
    pose proof (md_pos (y i)).
    replace (a * a * (md (x i) * md (x i)) + (2 * (a * b) * (md (x i) * md (y i)) + b * b * (md (y i) * md (y i))))
      with ((a * md (x i) + b * md (y i)) * (a * md (x i) + b * md (y i))) by ring.
    apply Rmult_le_compat; assumption.
  - rewrite !sum_add, !sum_scal, !nrm_moduli. pose proof (cauchy n x y).
    assert (0 <= a * b) by nra. nra.
Qed.

Lemma nrm_via : forall n a b c, nrm n (vsub a c) <= nrm n (vsub a b) + nrm n (vsub b c).
Proof.
  intros n a b c.
  pose proof (nrm_combine n (vsub a c) (vsub a b) (vsub b c) 1 1) as H. rewrite !Rmult_1_l in H. apply H; try lra.
  intros i _. rewrite !Rmult_1_l. apply md_via.
Qed.

Lemma nrm_near : forall n a b, nrm n a <= nrm n b + nrm n (vsub a b).
Proof.
  intros n a b.
  pose proof (nrm_combine n a b (vsub a b) 1 1) as H. rewrite !Rmult_1_l in H. apply H; try lra.
  intros i _. rewrite !Rmult_1_l. apply md_near.
Qed.

Lemma nrm_scaled : forall n v w a, 0 <= a -> (forall i, (i < n)%nat -> md (v i) <= a * md (w i)) -> nrm n v <= a * nrm n w.
Proof.
  intros n v w a A H.
  apply Rle_trans with (a * nrm n w + 0 * nrm n w); [|lra].
  apply nrm_combine; [exact A|lra|]. intros i I. specialize (H i I). lra.
Qed.

(* ---- the exponential ---- *)

Lemma exp_ge1 : forall t, 0 <= t -> 1 <= exp t.
Proof. intros t H. pose proof (exp_ineq1_le t). lra. Qed.

Lemma exp_above : forall t, 1 + t <= exp t.
Proof. exact exp_ineq1_le. Qed.

(* exp t - 1 <= t exp t *)
Lemma exp_minus1 : forall t, exp t - 1 <= t * exp t.
Proof.
  intros t. pose proof (exp_above (- t)) as H. pose proof (exp_pos t) as P.
  assert (E : exp (- t) * exp t = 1) by (rewrite <- exp_plus; replace (- t + t) with 0 by ring; apply exp_0).
  assert ((1 + - t) * exp t <= exp (- t) * exp t) by (apply Rmult_le_compat_r; lra).
  lra.
Qed.
