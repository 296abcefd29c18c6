(* angles.v - cosines and sines of the odd radices, by the polynomials that they are roots of, and of 45 degrees: what roots.v
   (written by kernels.c) takes.  Nothing is computed but sums and products of integers, so that coqchk ends.

   SPDX-License-Identifier: LGPL-3.0-or-later *)
Require Import Reals Lra Lia Psatz.
Open Scope R_scope.

Lemma cos_turned : forall k y, cos (2 * INR k * PI - y) = cos y.
Proof. intros k y. replace (2 * INR k * PI - y) with (- y + 2 * INR k * PI) by ring. rewrite cos_period. apply cos_neg. Qed.

Lemma cos_double : forall x, cos (2 * x) = 2 * (cos x * cos x) - 1.
Proof. intros. rewrite cos_2a_cos. ring. Qed.

Lemma cos_triple : forall x, cos (3 * x) = 4 * (cos x * cos x * cos x) - 3 * cos x.
Proof.
  intros. replace (3 * x) with (2 * x + x) by ring. rewrite cos_plus, cos_double, sin_2a.
  pose proof (sin2_cos2 x) as S. unfold Rsqr in S. replace (2 * sin x * cos x * sin x) with (2 * cos x * (sin x * sin x)) by ring.
  replace (sin x * sin x) with (1 - cos x * cos x) by lra. ring.
Qed.

Lemma cos_fourfold : forall x, cos (4 * x) = 8 * (cos x * cos x * (cos x * cos x)) - 8 * (cos x * cos x) + 1.
Proof. intros. replace (4 * x) with (2 * (2 * x)) by ring. rewrite !cos_double. ring. Qed.

(* A cosine between others. *)
Lemma cos_below : forall x y, 0 <= x -> x < y -> y <= PI -> cos y < cos x.
Proof. intros. apply cos_decreasing_1; lra. Qed.

Section Turn.
Variables m n : nat.
Hypothesis m_pos : (0 < m)%nat.
Hypothesis half : (2 * m <= n)%nat.
Definition turn := 2 * PI * INR m / INR n.

Lemma n_real : 0 < INR n.
Proof. apply lt_0_INR. lia. Qed.

Lemma turn_range : 0 < turn <= PI.
Proof.
  pose proof n_real. pose proof PI_RGT_0. assert (0 < INR m) by (apply lt_0_INR; exact m_pos).
  assert (2 * INR m <= INR n) by (replace 2 with (INR 2) by (simpl; ring); rewrite <- mult_INR; apply le_INR; exact half).
  unfold turn. split.
  - apply Rdiv_lt_0_compat; nra.
  - apply Rmult_le_reg_r with (INR n); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

Lemma turn_times : INR n * turn = 2 * INR m * PI.
Proof. pose proof n_real. unfold turn. field. lra. Qed.

Lemma cos_not_1 : cos turn < 1.
Proof. rewrite <- cos_0. pose proof turn_range. apply cos_below; lra. Qed.
End Turn.

Lemma fifth : forall m, (0 < m)%nat -> (2 * m <= 5)%nat -> let c := cos (turn m 5) in 4 * (c * c) + 2 * c - 1 = 0.
Proof.
  intros m A B c. pose proof (turn_times m 5 A B) as T. replace (INR 5) with 5 in T by (simpl; ring).
  assert (E : cos (3 * turn m 5) = cos (2 * turn m 5)).
  { replace (3 * turn m 5) with (2 * INR m * PI - 2 * turn m 5) by lra. apply cos_turned. }
  rewrite cos_triple, cos_double in E. pose proof (cos_not_1 m 5 A B). fold c in E, H.
  apply Rmult_eq_reg_l with (c - 1); [lra|lra].
Qed.

Lemma seventh : forall m, (0 < m)%nat -> (2 * m <= 7)%nat ->
  let c := cos (turn m 7) in 8 * (c * c * c) + 4 * (c * c) - 4 * c - 1 = 0.
Proof.
  intros m A B c. pose proof (turn_times m 7 A B) as T. replace (INR 7) with 7 in T by (simpl; ring).
  assert (E : cos (4 * turn m 7) = cos (3 * turn m 7)).
  { replace (4 * turn m 7) with (2 * INR m * PI - 3 * turn m 7) by lra. apply cos_turned. }
  rewrite cos_triple, cos_fourfold in E. pose proof (cos_not_1 m 7 A B). fold c in E, H.
  apply Rmult_eq_reg_l with (c - 1); [lra|lra].
Qed.

(* cos 120 degrees, as 3 * 40, 3 * 80 and 3 * 160 degrees have it *)
Lemma ninth : forall m, m = 1%nat \/ m = 2%nat \/ m = 4%nat -> let c := cos (turn m 9) in 8 * (c * c * c) - 6 * c + 1 = 0.
Proof.
  intros m M c.
  assert (E : cos (3 * turn m 9) = -1 / 2).
  { destruct M as [->|[->| ->]]; unfold turn; simpl INR.
    - replace (3 * (2 * PI * 1 / (1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1))) with (2 * (PI / 3)) by field. apply cos_2PI3.
    - replace (3 * (2 * PI * (1 + 1) / (1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1))) with (2 * INR 1 * PI - 2 * (PI / 3))
        by (simpl; field).
      rewrite cos_turned. apply cos_2PI3.
    - replace (3 * (2 * PI * (1 + 1 + 1 + 1) / (1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1))) with (2 * (PI / 3) + 2 * INR 1 * PI)
        by (simpl; field).
      rewrite cos_period. apply cos_2PI3. }
  rewrite cos_triple in E. fold c in E. lra.
Qed.

(* Which of the roots: cosines of 60, 90 and 120 degrees are 1/2, 0 and -1/2. *)
Lemma above_half : forall x, 0 <= x -> x < PI / 3 -> 1 / 2 < cos x.
Proof. intros. rewrite <- cos_PI3. pose proof PI_RGT_0. apply cos_below; lra. Qed.
Lemma below_half : forall x, PI / 3 < x -> x < PI / 2 -> 0 < cos x < 1 / 2.
Proof. intros. rewrite <- cos_PI3, <- cos_PI2. pose proof PI_RGT_0. split; apply cos_below; lra. Qed.
Lemma below_zero : forall x, PI / 2 < x -> x < 2 * (PI / 3) -> - (1 / 2) < cos x < 0.
Proof.
  intros. replace (- (1 / 2)) with (-1 / 2) by lra. rewrite <- cos_2PI3, <- cos_PI2. pose proof PI_RGT_0.
  split; apply cos_below; lra.
Qed.
Lemma below_minus_half : forall x, 2 * (PI / 3) < x -> x <= PI -> -1 <= cos x < - (1 / 2).
Proof.
  intros. pose proof (COS_bound x). split; [lra|]. replace (- (1 / 2)) with (-1 / 2) by lra. rewrite <- cos_2PI3.
  pose proof PI_RGT_0. apply cos_below; lra.
Qed.

(* A root of a cubic a x^3 + b x^2 + c x + d that grows from z to x, and one that falls. *)
Definition cubic a b c d x := a * (x * x * x) + b * (x * x) + c * x + d.
Definition slope a b c x z := a * (x * x + x * z + z * z) + b * (x + z) + c.

Lemma root_growing : forall a b c d x low high, cubic a b c d x = 0 ->
  0 < slope a b c x low -> 0 < slope a b c x high -> cubic a b c d low <= 0 -> 0 <= cubic a b c d high -> low <= x <= high.
Proof.
  intros a b c d x low high X L H PL PH.
  assert (D : forall z, cubic a b c d x - cubic a b c d z = (x - z) * slope a b c x z) by (intros; unfold cubic, slope; ring).
  pose proof (D low) as DL. pose proof (D high) as DH. split; apply Rnot_lt_le; intros N; nra.
Qed.

Lemma root_falling : forall a b c d x low high, cubic a b c d x = 0 ->
  slope a b c x low < 0 -> slope a b c x high < 0 -> 0 <= cubic a b c d low -> cubic a b c d high <= 0 -> low <= x <= high.
Proof.
  intros a b c d x low high X L H PL PH.
  assert (D : forall z, cubic a b c d x - cubic a b c d z = (x - z) * slope a b c x z) by (intros; unfold cubic, slope; ring).
  pose proof (D low) as DL. pose proof (D high) as DH. split; apply Rnot_lt_le; intros N; nra.
Qed.

(* cos_is m n place: the tactic of a cosine, from the lemma of its place. *)
Ltac turn_is m n := replace (2 * PI * _ / _) with (turn m n) by (unfold turn; simpl; field).
Ltac at_place m n place := let P := fresh "P" in
  assert (P := place (turn m n)); pose proof PI_RGT_0;
  unfold turn in P at 1 2; simpl INR in P; specialize (P ltac:(lra) ltac:(lra)).

Ltac fifth_is m place := turn_is m 5%nat; at_place m 5%nat place;
  pose proof (fifth m ltac:(lia) ltac:(lia)) as E; cbv zeta in E; set (x := cos (turn m 5)) in *;
  first [apply (root_growing 0 4 2 (-1)); unfold cubic, slope; lra | apply (root_falling 0 4 2 (-1)); unfold cubic, slope; lra].
Ltac seventh_is m place := turn_is m 7%nat; at_place m 7%nat place;
  pose proof (seventh m ltac:(lia) ltac:(lia)) as E; cbv zeta in E; set (x := cos (turn m 7)) in *;
  first [apply (root_growing 8 4 (-4) (-1)); unfold cubic, slope; [lra|nra|nra|lra|lra]
        | apply (root_falling 8 4 (-4) (-1)); unfold cubic, slope; [lra|nra|nra|lra|lra]].
Ltac ninth_is m place := turn_is m 9%nat; at_place m 9%nat place;
  pose proof (ninth m ltac:(lia)) as E; cbv zeta in E; set (x := cos (turn m 9)) in *;
  first [apply (root_growing 8 0 (-6) 1); unfold cubic, slope; [lra|nra|nra|lra|lra]
        | apply (root_falling 8 0 (-6) 1); unfold cubic, slope; [lra|nra|nra|lra|lra]].


(* A sine below a half turn, from the cosine. *)
Lemma sine_of : forall x cl ch low high, 0 <= x <= PI -> cl <= cos x <= ch -> (0 <= cl \/ ch <= 0) -> 0 <= low -> 0 <= high ->
  low * low + Rmax (cl * cl) (ch * ch) <= 1 -> 1 <= high * high + Rmin (cl * cl) (ch * ch) -> low <= sin x <= high.
Proof.
  intros x cl ch low high X C S L H PL PH. pose proof (sin_ge_0 x (proj1 X) (proj2 X)) as P.
  pose proof (sin2_cos2 x) as Q. unfold Rsqr in Q. set (s := sin x) in *. set (c := cos x) in *.
  assert (M : Rmin (cl * cl) (ch * ch) <= c * c <= Rmax (cl * cl) (ch * ch)).
  { pose proof (Rmin_l (cl * cl) (ch * ch)). pose proof (Rmin_r (cl * cl) (ch * ch)).
    pose proof (Rmax_l (cl * cl) (ch * ch)). pose proof (Rmax_r (cl * cl) (ch * ch)). destruct S; split; nra. }
  split; apply Rnot_lt_le; intros N; nra.
Qed.

Ltac sine_is cosine := refine (sine_of _ _ _ _ _ _ cosine _ _ _ _ _);
  [pose proof PI_RGT_0; lra|lra|lra|lra|unfold Rmax; destruct Rle_dec; lra|unfold Rmin; destruct Rle_dec; lra].

(* sin 120 degrees *)
Lemma third : sin (2 * PI * 1 / 3) * sin (2 * PI * 1 / 3) = 3 / 4.
Proof.
  replace (2 * PI * 1 / 3) with (2 * (PI / 3)) by field. pose proof (sin2_cos2 (2 * (PI / 3))) as Q. unfold Rsqr in Q.
  rewrite cos_2PI3 in Q. lra.
Qed.
Ltac third_is := pose proof third as T; pose proof PI_RGT_0;
  pose proof (sin_ge_0 (2 * PI * 1 / 3) ltac:(lra) ltac:(lra)) as P; set (s := sin (2 * PI * 1 / 3)) in *;
  split; apply Rnot_lt_le; intros N; nra.

(* cos 45 degrees *)
Lemma eighth : cos (2 * PI * 1 / 8) * cos (2 * PI * 1 / 8) = 1 / 2.
Proof.
  pose proof (cos_double (2 * PI * 1 / 8)) as D. replace (2 * (2 * PI * 1 / 8)) with (PI / 2) in D by field.
  rewrite cos_PI2 in D. lra.
Qed.
Ltac eighth_is := pose proof eighth as T; pose proof PI_RGT_0;
  pose proof (cos_ge_0 (2 * PI * 1 / 8) ltac:(lra) ltac:(lra)) as P; set (c := cos (2 * PI * 1 / 8)) in *;
  split; apply Rnot_lt_le; intros N; nra.
