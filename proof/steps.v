(* steps.v - the steps as traced.v has them from the code: their errors, for any rounding of relative error u.

   Rounding to nearest of doubles without bounds of the exponent is one (Flocq, at the end): section 9 of doc/error-bound.md deals
   with underflow.

   SPDX-License-Identifier: LGPL-3.0-or-later *)
Require Import Reals Lra Lia Psatz List.
Require Import complex traced.
From Flocq Require Import Core Relative.
Import ListNotations.
Open Scope R_scope.

Section Steps.

Variable u : R.
Hypothesis u_pos : 0 <= u.
Variable rnd : R -> R.
Hypothesis rnd_near : forall t, Rabs (rnd t - t) <= u * Rabs t.

Definition rndc (a : C) := point (rnd (re a)) (rnd (im a)).

(* Section 2: a value whose parts are rounded once. *)
Lemma rndc_near : forall a, md (csub (rndc a) a) <= u * md a.
Proof.
  intros a. pose proof (md_pos a). apply md_le; [nra|].
  replace (u * md a * (u * md a)) with (u * u * (md a * md a)) by ring. rewrite md_sq.
  unfold sq, csub, rndc; simpl.
  assert (P : forall t, (rnd t - t) * (rnd t - t) <= u * u * (t * t)).
  { intros t. rewrite <- (square_abs (rnd t - t)), <- (square_abs t). pose proof (rnd_near t). pose proof (Rabs_pos (rnd t - t)).
    replace (u * u * (Rabs t * Rabs t)) with (u * Rabs t * (u * Rabs t)) by ring. apply Rmult_le_compat; assumption. }
  pose proof (P (re a)). pose proof (P (im a)). lra.
Qed.

Lemma scal_md : forall c a, md (point (c * re a) (c * im a)) = Rabs c * md a.
Proof.
  intros c a. unfold md. rewrite <- sqrt_Rsqr_abs. rewrite <- sqrt_mult; [|apply Rle_0_sqr|apply sq_pos].
  f_equal. unfold sq, Rsqr; simpl. ring.
Qed.

(* Two errors in succession. *)
Lemma chain : forall a b, 0 <= a -> 0 <= b -> (1 + a * u) * (1 + b * u) <= exp ((a + b) * u).
Proof.
  intros a b A B. replace ((a + b) * u) with (a * u + b * u) by ring. rewrite exp_plus.
  assert (0 <= a * u) by (apply Rmult_le_pos; assumption). assert (0 <= b * u) by (apply Rmult_le_pos; assumption).
  apply Rmult_le_compat; try lra; apply exp_above.
Qed.

(* A stored twiddle c (1 + i tau), a root w, and their distance. *)
Variables wc wt beta : R.
Variable w : C.
Hypothesis w_root : md w = 1.
Hypothesis beta_pos : 0 <= beta.
Definition stored := point wc (wc * wt).
Hypothesis stored_near : md (csub stored w) <= beta * u.

Lemma stored_size : md stored <= 1 + beta * u.
Proof. pose proof (md_near stored w). lra. Qed.

(* (1 + i tau) b and c t *)
Definition inner (b : C) := point (re b - wt * im b) (im b + wt * re b).
Definition times (t : C) := point (wc * re t) (wc * im t).

Lemma times_inner : forall b, times (inner b) = cmul stored b.
Proof. intros b. unfold times, inner, stored; csimp. Qed.

(* What meets a: c fl(t). *)
Lemma forward_twiddle : forall b, md (csub (times (rndc (inner b))) (cmul w b)) <= (exp ((1 + beta) * u) - 1) * md b.
Proof.
  intros b. set (t := inner b).
  pose proof (md_pos b) as B.
  apply Rle_trans with (1 := md_via _ (times t) _).
  assert (E1 : md (csub (times (rndc t)) (times t)) <= u * ((1 + beta * u) * md b)).
  { replace (csub (times (rndc t)) (times t)) with (point (wc * re (csub (rndc t) t)) (wc * im (csub (rndc t) t)))
      by (unfold times; csimp).
    rewrite scal_md. pose proof (rndc_near t) as R. pose proof (Rabs_pos wc).
    apply Rle_trans with (Rabs wc * (u * md t)); [apply Rmult_le_compat_l; assumption|].
    replace (Rabs wc * (u * md t)) with (u * (Rabs wc * md t)) by ring. rewrite <- scal_md.
    fold (times t). unfold t. rewrite times_inner, md_mul. apply Rmult_le_compat_l; [assumption|].
    apply Rmult_le_compat_r; [assumption|apply stored_size]. }
  assert (E2 : md (csub (times t) (cmul w b)) <= beta * u * md b).
  { unfold t. rewrite times_inner. replace (csub (cmul stored b) (cmul w b)) with (cmul (csub stored w) b) by csimp.
    rewrite md_mul. apply Rmult_le_compat_r; assumption. }
  pose proof (chain 1 beta Rle_0_1 beta_pos) as H. rewrite Rmult_1_l in H.
  apply Rle_trans with (((1 + u) * (1 + beta * u) - 1) * md b); [lra|]. apply Rmult_le_compat_r; lra.
Qed.

(* Section 4.1, with FMA: what a step leaves, for q = w b up to T = 1 + beta. *)
Definition forward_spec (T : R) (wb a b : C) (out : list C) :=
  exists q, md (csub q wb) <= (exp (T * u) - 1) * md b /\
  match out with
  | [x; y] => md (csub x (cadd a q)) <= u * md (cadd a q) /\ md (csub y (csub a q)) <= u * md (csub a q)
  | _ => False
  end.

Definition ci (a : C) := point (- im a) (re a).
Lemma ci_md : forall a, md (ci a) = md a.
Proof. intros. unfold md. f_equal. unfold sq, ci; simpl. ring. Qed.

Ltac rounded := match goal with |- md (csub ?x ?y) <= _ => replace x with (rndc y); [apply rndc_near|] end;
  unfold rndc, times, inner, cadd, csub, ci; simpl; f_equal; f_equal; ring.

Theorem step_forward : forall a b, forward_spec (1 + beta) (cmul w b) a b (step_forward_fma rnd wc wt a b).
Proof.
  intros a b. exists (times (rndc (inner b))). split; [apply forward_twiddle|].
  unfold step_forward_fma.
  replace (wt * re b + im b) with (im b + wt * re b) by ring. split; rounded.
Qed.

Theorem step_i_forward : forall a b, forward_spec (1 + beta) (ci (cmul w b)) a b (step_i_forward_fma rnd wc wt a b).
Proof.
  intros a b. exists (ci (times (rndc (inner b)))). split.
  - replace (csub (ci (times (rndc (inner b)))) (ci (cmul w b))) with (ci (csub (times (rndc (inner b))) (cmul w b)))
      by (unfold ci; csimp). rewrite ci_md. apply forward_twiddle.
  - unfold step_i_forward_fma. replace (wt * re b + im b) with (im b + wt * re b) by ring. split; rounded.
Qed.

Definition cneg (a : C) := point (- re a) (- im a).
Theorem step_minus_forward : forall a b, forward_spec (1 + beta) (cneg (cmul w b)) a b (step_minus_forward_fma rnd wc wt a b).
Proof.
  intros a b. exists (cneg (times (rndc (inner b)))). split.
  - replace (csub (cneg (times (rndc (inner b)))) (cneg (cmul w b))) with (csub (cmul w b) (times (rndc (inner b))))
      by (unfold cneg; csimp). rewrite md_opp. apply forward_twiddle.
  - unfold step_minus_forward_fma. replace (wt * re b + im b) with (im b + wt * re b) by ring.
    split; unfold cneg; rounded.
Qed.

(* Section 4.2, with FMA: a + b, and conj(w) (a - b) with I = 3 + beta. *)
Definition uninner (p : C) := point (re p + wt * im p) (im p - wt * re p).

Lemma times_uninner : forall p, times (uninner p) = cmul (conj stored) p.
Proof. intros p. unfold times, uninner, stored; csimp. Qed.

Lemma rndc_size : forall a, md (rndc a) <= (1 + u) * md a.
Proof. intros a. pose proof (md_near (rndc a) a). pose proof (rndc_near a). lra. Qed.

Lemma inverse_twiddle : forall d,
  md (csub (rndc (times (rndc (uninner (rndc d))))) (cmul (conj w) d)) <= (exp ((3 + beta) * u) - 1) * md d.
Proof.
  intros d. pose proof (md_pos d) as D. set (p := rndc d). set (t := rndc (uninner p)).
  pose proof (rndc_near (times t)) as R3. pose proof stored_size as SS. pose proof (md_pos stored) as SP.
  pose proof (rndc_near d) as R1. fold p in R1. pose proof (rndc_size d) as P1. fold p in P1.
  assert (BU : 0 <= beta * u) by (apply Rmult_le_pos; assumption).
  (* c fl(t) against conj(w') p *)
  assert (E2 : md (csub (times t) (cmul (conj stored) p)) <= u * ((1 + beta * u) * md p)).
  { rewrite <- times_uninner.
    replace (csub (times t) (times (uninner p))) with (point (wc * re (csub t (uninner p))) (wc * im (csub t (uninner p))))
      by (unfold times; csimp).
    rewrite scal_md. pose proof (rndc_near (uninner p)) as R. fold t in R. pose proof (Rabs_pos wc).
    apply Rle_trans with (Rabs wc * (u * md (uninner p))); [apply Rmult_le_compat_l; assumption|].
    replace (Rabs wc * (u * md (uninner p))) with (u * (Rabs wc * md (uninner p))) by ring. rewrite <- scal_md.
    fold (times (uninner p)). rewrite times_uninner, md_mul, md_conj. apply Rmult_le_compat_l; [assumption|].
    apply Rmult_le_compat_r; [apply md_pos|exact SS]. }
  assert (E1 : md (csub (cmul (conj stored) p) (cmul (conj stored) d)) <= (1 + beta * u) * (u * md d)).
  { replace (csub (cmul (conj stored) p) (cmul (conj stored) d)) with (cmul (conj stored) (csub p d)) by csimp.
    rewrite md_mul, md_conj. apply Rmult_le_compat; try apply md_pos; assumption. }
  assert (E0 : md (csub (cmul (conj stored) d) (cmul (conj w) d)) <= beta * u * md d).
  { replace (csub (cmul (conj stored) d) (cmul (conj w) d)) with (cmul (conj (csub stored w)) d) by csimp.
    rewrite md_mul, md_conj. apply Rmult_le_compat_r; assumption. }
  pose proof (md_via (times t) (cmul (conj stored) p) (cmul (conj stored) d)) as V1.
  pose proof (md_via (times t) (cmul (conj stored) d) (cmul (conj w) d)) as V2.
  pose proof (md_via (rndc (times t)) (times t) (cmul (conj w) d)) as V3.
  pose proof (md_near (times t) (cmul (conj w) d)) as N. rewrite md_mul, md_conj, w_root in N.
  assert (P2 : (1 + beta * u) * md p <= (1 + beta * u) * ((1 + u) * md d)) by (apply Rmult_le_compat_l; lra).
  assert (P3 : u * ((1 + beta * u) * md p) <= u * ((1 + beta * u) * ((1 + u) * md d))) by (apply Rmult_le_compat_l; lra).
  set (e := md (csub (times t) (cmul (conj w) d))) in *.
  assert (E : e <= ((1 + u) * (1 + u) * (1 + beta * u) - 1) * md d).
  { replace (((1 + u) * (1 + u) * (1 + beta * u) - 1) * md d)
      with (u * ((1 + beta * u) * ((1 + u) * md d)) + (1 + beta * u) * (u * md d) + beta * u * md d) by ring. lra. }
  apply Rle_trans with (((1 + u) * ((1 + u) * ((1 + u) * (1 + beta * u))) - 1) * md d).
  - assert (u * md (times t) <= u * (md d + e)) by (apply Rmult_le_compat_l; lra).
    assert (u * e <= u * (((1 + u) * (1 + u) * (1 + beta * u) - 1) * md d)) by (apply Rmult_le_compat_l; assumption).
    replace (((1 + u) * ((1 + u) * ((1 + u) * (1 + beta * u))) - 1) * md d)
      with (((1 + u) * (1 + u) * (1 + beta * u) - 1) * md d
            + (u * md d + u * (((1 + u) * (1 + u) * (1 + beta * u) - 1) * md d))) by ring. lra.
  - apply Rmult_le_compat_r; [exact D|]. apply Rplus_le_compat_r.
    replace ((3 + beta) * u) with (u + (u + (u + beta * u))) by ring. rewrite !exp_plus.
    pose proof (exp_above u). pose proof (exp_above (beta * u)).
    assert (A1 : (1 + u) * (1 + beta * u) <= exp u * exp (beta * u)) by (apply Rmult_le_compat; lra).
    assert (A2 : 0 <= (1 + u) * (1 + beta * u)) by (apply Rmult_le_pos; lra).
    assert (A3 : (1 + u) * ((1 + u) * (1 + beta * u)) <= exp u * (exp u * exp (beta * u))) by (apply Rmult_le_compat; lra).
    assert (A4 : 0 <= (1 + u) * ((1 + u) * (1 + beta * u))) by (apply Rmult_le_pos; lra).
    apply Rmult_le_compat; lra.
Qed.

Definition inverse_spec (I : R) (root a b : C) (out : list C) :=
  match out with
  | [x; y] => md (csub x (cadd a b)) <= u * md (cadd a b) /\
              md (csub y (cmul (conj root) (csub a b))) <= (exp (I * u) - 1) * md (csub a b)
  | _ => False
  end.

Theorem step_inverse : forall a b, inverse_spec (3 + beta) w a b (step_inverse_fma rnd wc wt a b).
Proof.
  intros a b. unfold step_inverse_fma. split; [rounded|].
  pose proof (inverse_twiddle (csub a b)) as H.
  replace (wt * rnd (im a - im b) + rnd (re a - re b)) with (rnd (re a - re b) + wt * rnd (im a - im b)) by ring. exact H.
Qed.

Theorem step_i_inverse : forall a b, inverse_spec (3 + beta) (ci w) a b (step_i_inverse_fma rnd wc wt a b).
Proof.
  intros a b. unfold step_i_inverse_fma. split; [rounded|].
  (* -i (a - b), whose parts are differences that are rounded *)
  pose (d := point (im a - im b) (re b - re a)).
  pose proof (inverse_twiddle d) as H.
  replace (md (csub a b)) with (md d) by (unfold md; f_equal; unfold sq, csub, d; simpl; ring).
  replace (cmul (conj (ci w)) (csub a b)) with (cmul (conj w) d) by (unfold ci, d; csimp).
  replace (wt * rnd (re b - re a) + rnd (im a - im b)) with (rnd (im a - im b) + wt * rnd (re b - re a)) by ring. exact H.
Qed.

Theorem step_minus_inverse : forall a b, inverse_spec (3 + beta) (cneg w) a b (step_minus_inverse_fma rnd wc wt a b).
Proof.
  intros a b. unfold step_minus_inverse_fma. split; [rounded|].
  pose proof (inverse_twiddle (csub b a)) as H. rewrite (md_opp b a) in H.
  replace (cmul (conj (cneg w)) (csub a b)) with (cmul (conj w) (csub b a)) by (unfold cneg; csimp).
  replace (wt * rnd (im b - im a) + rnd (re b - re a)) with (rnd (re b - re a) + wt * rnd (im b - im a)) by ring. exact H.
Qed.

(* Section 3: a product of points (c + i s) v, with FMA: 2. *)
Theorem product_near : forall c s v,
  match product_fma rnd c s v with
  | [z] => md (csub z (cmul (point c s) v)) <= (exp (2 * u) - 1) * (md (point c s) * md v)
  | _ => False
  end.
Proof.
  intros c s v. unfold product_fma.
  set (p := rnd (s * im v)). set (q := rnd (c * im v)).
  pose (inexact := point (c * re v - p) (s * re v + q)).
  pose proof (md_pos (point c s)) as W. pose proof (md_pos v) as V.
  assert (E1 : md (csub inexact (cmul (point c s) v)) <= u * (md (point c s) * md v)).
  { apply md_le. { apply Rmult_le_pos; [assumption|apply Rmult_le_pos; assumption]. }
    replace (u * (md (point c s) * md v) * (u * (md (point c s) * md v)))
      with (u * u * ((md (point c s) * md (point c s)) * (md v * md v))) by ring.
    rewrite !md_sq. unfold sq, csub, cmul, inexact; simpl.
    replace (c * re v - p - (c * re v - s * im v)) with (- (p - s * im v)) by ring.
    replace (s * re v + q - (c * im v + s * re v)) with (q - c * im v) by ring.
    assert (P : forall t, (rnd t - t) * (rnd t - t) <= u * u * (t * t)).
    { intros t. rewrite <- (square_abs (rnd t - t)), <- (square_abs t). pose proof (rnd_near t). pose proof (Rabs_pos (rnd t
      - t)).
      replace (u * u * (Rabs t * Rabs t)) with (u * Rabs t * (u * Rabs t)) by ring. apply Rmult_le_compat; assumption. }
    pose proof (P (s * im v)) as P1. pose proof (P (c * im v)) as P2. fold p in P1. fold q in P2.
    assert (0 <= u * u * ((c * re v) * (c * re v))) by (apply Rmult_le_pos; [apply Rmult_le_pos; assumption|apply Rle_0_sqr]).
    assert (0 <= u * u * ((s * re v) * (s * re v))) by (apply Rmult_le_pos; [apply Rmult_le_pos; assumption|apply Rle_0_sqr]).
    lra. }
  pose proof (rndc_near inexact) as E2.
  pose proof (md_via (rndc inexact) inexact (cmul (point c s) v)) as T.
  pose proof (md_near inexact (cmul (point c s) v)) as N. rewrite md_mul in N.
  assert (u * md inexact <= u * ((1 + u) * (md (point c s) * md v))) by (apply Rmult_le_compat_l; lra).
  pose proof (chain 1 1 Rle_0_1 Rle_0_1) as H1. rewrite !Rmult_1_l in H1. replace (1 + 1) with 2 in H1 by ring.
  assert (0 <= md (point c s) * md v) by (apply Rmult_le_pos; assumption).
  apply Rle_trans with (((1 + u) * (1 + u) - 1) * (md (point c s) * md v)); [|apply Rmult_le_compat_r; lra].
  change (point (rnd (c * re v - p)) (rnd (s * re v + q))) with (rndc inexact). lra.
Qed.

(* Section 3, without FMA: sqrt(5 + 4 u + u^2).  What cancels is bounded by the scripts product_plain_*, for 1 <= p <= 2. *)
Hypothesis rnd_opp : forall t, rnd (- t) = - rnd t.
Hypothesis cancelling : forall p q, 0 <= q <= p ->
  (rnd (rnd p - rnd q) - (p - q)) * (rnd (rnd p - rnd q) - (p - q)) <= u * u * (5 * ((p - q) * (p - q)) + 4 * (p * q)).

Definition off (p q : R) := rnd (rnd p + rnd q) - (p + q).

Lemma off_adding : forall p q, 0 <= p * q -> off p q * off p q <= u * u * ((2 + u) * (2 + u) * ((p + q) * (p + q))).
Proof.
  intros p q S. unfold off.
  pose proof (rnd_near p) as P. pose proof (rnd_near q) as Q. pose proof (rnd_near (rnd p + rnd q)) as T.
  assert (A : Rabs p + Rabs q = Rabs (p + q)).
  { destruct (Rle_dec 0 p) as [p0|p0]; destruct (Rle_dec 0 q) as [q0|q0].
    - rewrite !Rabs_right by lra. reflexivity.
    - assert (p = 0) by nra. subst p. rewrite Rabs_R0, !Rplus_0_l. reflexivity.
    - assert (q = 0) by nra. subst q. rewrite Rabs_R0, !Rplus_0_r. reflexivity.
    - rewrite !Rabs_left by lra. lra. }
  set (n := Rabs (p + q)) in *. assert (W : 0 <= n) by apply Rabs_pos.
  assert (E : Rabs (rnd p + rnd q - (p + q)) <= u * n).
  { replace (rnd p + rnd q - (p + q)) with (rnd p - p + (rnd q - q)) by ring. pose proof (Rabs_triang (rnd p - p) (rnd q - q)).
    rewrite <- A. lra. }
  assert (B : Rabs (rnd p + rnd q) <= n + u * n).
  { replace (rnd p + rnd q) with (p + q + (rnd p + rnd q - (p + q))) by ring.
    pose proof (Rabs_triang (p + q) (rnd p + rnd q - (p + q))). fold n in H. lra. }
  assert (F : Rabs (rnd (rnd p + rnd q) - (p + q)) <= u * ((2 + u) * n)).
  { replace (rnd (rnd p + rnd q) - (p + q)) with (rnd (rnd p + rnd q) - (rnd p + rnd q) + (rnd p + rnd q - (p + q))) by ring.
    pose proof (Rabs_triang (rnd (rnd p + rnd q) - (rnd p + rnd q)) (rnd p + rnd q - (p + q))).
    assert (u * Rabs (rnd p + rnd q) <= u * (n + u * n)) by (apply Rmult_le_compat_l; assumption). lra. }
  rewrite <- square_abs. rewrite <- (square_abs (p + q)). fold n.
  replace (u * u * ((2 + u) * (2 + u) * (n * n))) with (u * ((2 + u) * n) * (u * ((2 + u) * n))) by ring.
  apply Rmult_le_compat; try apply Rabs_pos; exact F.
Qed.

Lemma off_cancelling : forall p q, p * q <= 0 -> off p q * off p q <= u * u * (5 * ((p + q) * (p + q)) - 4 * (p * q)).
Proof.
  assert (ordered : forall p q, 0 <= q <= p ->
    off p (- q) * off p (- q) <= u * u * (5 * ((p + - q) * (p + - q)) - 4 * (p * - q))).
  { intros p q H. unfold off. rewrite rnd_opp. pose proof (cancelling p q H) as C.
    replace (rnd p + - rnd q) with (rnd p - rnd q) by ring. replace (p + - q) with (p - q) by ring.
    replace (4 * (p * - q)) with (- (4 * (p * q))) by ring. lra. }
  assert (opposite : forall p q, off (- p) (- q) = - off p q).
  { intros p q. unfold off. rewrite !rnd_opp. replace (- rnd p + - rnd q) with (- (rnd p + rnd q)) by ring.
    rewrite rnd_opp. ring. }
  assert (swapped : forall p q, off p q = off q p).
  { intros p q. unfold off. rewrite (Rplus_comm (rnd p)), (Rplus_comm p). reflexivity. }
  assert (first : forall p q, 0 <= p -> q <= 0 -> off p q * off p q <= u * u * (5 * ((p + q) * (p + q)) - 4 * (p * q))).
  { intros p q A B. destruct (Rle_dec (- q) p) as [L|L].
    - pose proof (ordered p (- q)) as O. rewrite Ropp_involutive in O. apply O. lra.
    - pose proof (ordered (- q) p) as O. rewrite swapped in O.
      replace (- q) with (- (q)) in O by ring. rewrite (opposite p q) in O.
      replace (off p q * off p q) with (- off p q * - off p q) by ring.
      replace (5 * ((p + q) * (p + q)) - 4 * (p * q)) with (5 * ((- q + - p) * (- q + - p)) - 4 * (- q * - p)) by ring.
      apply O. lra. }
  intros p q S. destruct (Rle_dec 0 p) as [p0|p0].
  - destruct (Rle_dec q 0) as [q0|q0]; [apply first; assumption|].
    assert (p = 0) by nra. subst p. rewrite swapped.
    replace (5 * ((0 + q) * (0 + q)) - 4 * (0 * q)) with (5 * ((q + 0) * (q + 0)) - 4 * (q * 0)) by ring. apply first; lra.
  - destruct (Rle_dec 0 q) as [q0|q0].
    + rewrite swapped. replace (5 * ((p + q) * (p + q)) - 4 * (p * q)) with (5 * ((q + p) * (q + p)) - 4 * (q * p)) by ring.
      apply first; lra.
    + exfalso. nra.
Qed.

Theorem product_plain_near : forall g c s v, 0 <= g -> 5 + 4 * u + u * u <= g * g ->
  match product_plain rnd c s v with
  | [z] => md (csub z (cmul (point c s) v)) <= (exp (g * u) - 1) * (md (point c s) * md v)
  | _ => False
  end.
Proof.
  intros g c s v G5 G. unfold product_plain.
  set (z := point _ _).
  pose proof (md_pos (point c s)) as CP. pose proof (md_pos v) as VP.
  assert (GU : 0 <= g * u) by (apply Rmult_le_pos; assumption).
  apply Rle_trans with (g * u * (md (point c s) * md v)).
  2: { apply Rmult_le_compat_r; [apply Rmult_le_pos; assumption|]. pose proof (exp_above (g * u)). lra. }
  apply md_le; [apply Rmult_le_pos; [assumption|apply Rmult_le_pos; assumption]|].
  replace (g * u * (md (point c s) * md v) * (g * u * (md (point c s) * md v)))
    with (u * u * (g * g) * ((md (point c s) * md (point c s)) * (md v * md v))) by ring.
  rewrite !md_sq.
  set (p := c * re v). set (q := - (s * im v)). set (r := s * re v). set (t := c * im v).
  assert (E : sq (csub z (cmul (point c s) v)) = off p q * off p q + off r t * off r t).
  { unfold z, sq, csub, cmul, off, p, q, r, t; simpl. rewrite rnd_opp.
    replace (rnd (c * re v) + - rnd (s * im v)) with (rnd (c * re v) - rnd (s * im v)) by ring. ring. }
  rewrite E.
  assert (N : sq (point c s) * sq v = (p + q) * (p + q) + (r + t) * (r + t)).
  { unfold sq, p, q, r, t; simpl. ring. }
  rewrite N.
  assert (M : p * q = - (r * t)) by (unfold p, q, r, t; ring).
  assert (U2 : 0 <= u * u) by (apply Rmult_le_pos; assumption).
  assert (K : u * u * (5 + 4 * u + u * u) * ((p + q) * (p + q) + (r + t) * (r + t))
    <= u * u * (g * g) * ((p + q) * (p + q) + (r + t) * (r + t))).
  { apply Rmult_le_compat_r; [pose proof (Rle_0_sqr (p + q)); pose proof (Rle_0_sqr (r + t)); unfold Rsqr in *; lra|].
    apply Rmult_le_compat_l; assumption. }
  apply Rle_trans with (2 := K).
  assert (X : 0 <= u * u * ((4 * u + u * u) * ((p + q) * (p + q)))).
  { apply Rmult_le_pos; [assumption|]. apply Rmult_le_pos; [nra|apply Rle_0_sqr]. }
  assert (Y : 0 <= u * u * ((4 * u + u * u) * ((r + t) * (r + t)))).
  { apply Rmult_le_pos; [assumption|]. apply Rmult_le_pos; [nra|apply Rle_0_sqr]. }
  destruct (Rle_dec (p * q) 0) as [S|S].
  - pose proof (off_cancelling p q S) as A. assert (S2 : 0 <= r * t) by lra. pose proof (off_adding r t S2) as B.
    assert (D : u * u * (4 * (r * t)) <= u * u * ((r + t) * (r + t))).
    { apply Rmult_le_compat_l; [assumption|]. pose proof (Rle_0_sqr (r - t)) as Q. unfold Rsqr in Q. lra. }
    rewrite M in A. lra.
  - assert (S2 : r * t <= 0) by lra. assert (S3 : 0 <= p * q) by lra.
    pose proof (off_cancelling r t S2) as A. pose proof (off_adding p q S3) as B.
    assert (D : u * u * (4 * (p * q)) <= u * u * ((p + q) * (p + q))).
    { apply Rmult_le_compat_l; [assumption|]. pose proof (Rle_0_sqr (p - q)) as Q. unfold Rsqr in Q. lra. }
    assert (M2 : r * t = - (p * q)) by lra. rewrite M2 in A. lra.
Qed.

End Steps.

(* ---- rounding to nearest, ties to even, of 53 bits ---- *)

Definition u53 := bpow radix2 (-53).
Definition rnd53 := round radix2 (FLX_exp 53) ZnearestE.

Theorem rnd53_near : forall t, Rabs (rnd53 t - t) <= u53 * Rabs t.
Proof.
  intros t. pose proof (relative_error_N_FLX radix2 53 (eq_refl _) (fun x => negb (Z.even x)) t) as H.
  unfold rnd53, u53. replace (bpow radix2 (-53)) with (/ 2 * bpow radix2 (-53 + 1)); [exact H|].
  simpl. lra.
Qed.

Theorem u53_pos : 0 <= u53.
Proof. apply bpow_ge_0. Qed.

Theorem rnd53_opp : forall t, rnd53 (- t) = - rnd53 t.
Proof. intros t. apply round_NE_opp. Qed.

Theorem rnd53_scaled : forall e t, rnd53 (t * bpow radix2 e) = rnd53 t * bpow radix2 e.
Proof.
  intros e t. destruct (Req_dec t 0) as [->|N].
  - rewrite Rmult_0_l. unfold rnd53. rewrite round_0 by apply valid_rnd_N. ring.
  - unfold rnd53, round, scaled_mantissa, cexp, FLX_exp. rewrite mag_mult_bpow by exact N. unfold F2R; simpl Fnum; simpl Fexp.
    rewrite (Rmult_assoc t), <- bpow_plus. rewrite (Rmult_assoc (IZR _)), <- bpow_plus.
    replace (e + - (mag radix2 t + e - 53))%Z with (- (mag radix2 t - 53))%Z by ring.
    replace (mag radix2 t - 53 + e)%Z with (mag radix2 t + e - 53)%Z by ring. reflexivity.
Qed.

(* The scripts product_plain_* have p between 1 and 2. *)
Definition cancels p q := (rnd53 (rnd53 p - rnd53 q) - (p - q)) * (rnd53 (rnd53 p - rnd53 q) - (p - q))
  <= u53 * u53 * (5 * ((p - q) * (p - q)) + 4 * (p * q)).

Theorem cancels_scaled : (forall p q, 1 <= p <= 2 -> 0 <= q <= p -> cancels p q) -> forall p q, 0 <= q <= p -> cancels p q.
Proof.
  intros H p q Q. destruct (Req_dec p 0) as [E|N].
  - assert (q = 0) by lra. subst p q. unfold cancels, rnd53. rewrite !round_0 by apply valid_rnd_N.
    rewrite Rminus_0_r. rewrite round_0 by apply valid_rnd_N. lra.
  - set (e := (mag radix2 p - 1)%Z). set (b := bpow radix2 e). set (c := bpow radix2 (- e)).
    assert (C : 0 < c) by apply bpow_gt_0. assert (B : 0 < b) by apply bpow_gt_0.
    assert (BC : c * b = 1) by (unfold b, c; rewrite <- bpow_plus; replace (- e + e)%Z with 0%Z by ring; reflexivity).
    assert (P1 : b <= p) by (pose proof (bpow_mag_le radix2 p N) as G; rewrite Rabs_right in G by lra; exact G).
    assert (P2 : p <= 2 * b).
    { pose proof (bpow_mag_gt radix2 p) as G. rewrite Rabs_right in G by lra.
      replace (mag radix2 p : Z) with (1 + e)%Z in G by (unfold e; ring). rewrite bpow_plus in G. simpl (bpow radix2 1) in G.
      fold b in G. lra. }
    assert (S : cancels (p * c) (q * c)) by (apply H; nra).
    assert (Rp : rnd53 p = rnd53 (p * c) * b).
    { unfold b. rewrite <- rnd53_scaled. fold b. f_equal. rewrite Rmult_assoc, BC. ring. }
    assert (Rq : rnd53 q = rnd53 (q * c) * b).
    { unfold b. rewrite <- rnd53_scaled. fold b. f_equal. rewrite Rmult_assoc, BC. ring. }
    unfold cancels in *. rewrite Rp, Rq. rewrite <- Rmult_minus_distr_r.
    assert (Rd : rnd53 ((rnd53 (p * c) - rnd53 (q * c)) * b) = rnd53 (rnd53 (p * c) - rnd53 (q * c)) * b) by apply rnd53_scaled.
    rewrite Rd. set (r := rnd53 (rnd53 (p * c) - rnd53 (q * c))) in *.
    assert (Ep : p = p * c * b) by (rewrite Rmult_assoc, BC; ring).
    assert (Eq : q = q * c * b) by (rewrite Rmult_assoc, BC; ring).
    set (x := p * c) in *. set (y := q * c) in *.
    assert (F : (r * b - (x * b - y * b)) * (r * b - (x * b - y * b))
                <= u53 * u53 * (5 * ((x * b - y * b) * (x * b - y * b)) + 4 * (x * b * (y * b)))).
    { apply Rle_trans with (b * b * (u53 * u53 * (5 * ((x - y) * (x - y)) + 4 * (x * y)))); [|right; ring].
      replace ((r * b - (x * b - y * b)) * (r * b - (x * b - y * b))) with (b * b * ((r - (x - y)) * (r - (x - y)))) by ring.
      apply Rmult_le_compat_l; [nra|exact S]. }
    rewrite <- Ep, <- Eq in F. exact F.
Qed.
