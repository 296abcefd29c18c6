(* pairs.v - sums of double-double: what the scripts dd_* take as exact, and the cases that they are split by.

   SPDX-License-Identifier: LGPL-3.0-or-later *)
Require Import Reals ZArith Lra Lia Psatz.
Require Import traced_pairs.
From Flocq Require Import Core Sterbenz.
From Flocq Require Import Pff.Pff2Flocq.
Open Scope R_scope.

Lemma precision : Prec_gt_0 53.
Proof. reflexivity. Qed.
#[global] Existing Instance precision.

(* binary64, with gradual underflow *)
Definition b64 := FLT_exp (-1074) 53.
Definition rnd64 := round radix2 b64 ZnearestE.
Definition double := generic_format radix2 b64.

Lemma symmetric : forall x : Z, negb (Z.even x) = negb (negb (Z.even (- (x + 1)))).
Proof. intros x. rewrite Z.even_opp, Z.even_add. destruct (Z.even x); reflexivity. Qed.

Lemma rnd64_opp : forall x, rnd64 (- x) = - rnd64 x.
Proof. intros x. apply round_NE_opp. Qed.

Theorem two_sum_exact : forall a b, double a -> double b -> fst (two_sum rnd64 a b) + snd (two_sum rnd64 a b) = a + b.
Proof.
  intros a b A B. unfold two_sum; simpl.
  pose proof (TwoSum_correct (-1074) 53 (fun x => negb (Z.even x)) ltac:(lia) ltac:(lia) symmetric a b A B) as H. exact H.
Qed.

Theorem two_difference_exact : forall a b, double a -> double b ->
  fst (two_difference rnd64 a b) + snd (two_difference rnd64 a b) = a - b.
Proof.
  intros a b A B. pose proof (two_sum_exact a (- b) A (generic_format_opp radix2 b64 b B)) as H.
  unfold two_difference, two_sum in *; simpl in *. replace (a + - b) with (a - b) in H by ring.
  set (s := rnd64 (a - b)) in *. set (z := rnd64 (s - a)) in *.
  replace (- b - z) with (- (b + z)) in H by ring. rewrite rnd64_opp in H. exact H.
Qed.

Theorem quick_sum_exact : forall a b, double a -> double b -> Rabs b <= Rabs a ->
  fst (quick_sum rnd64 a b) + snd (quick_sum rnd64 a b) = a + b.
Proof.
  intros a b A B L. unfold quick_sum; simpl.
  pose proof (Fast2Sum_correct (-1074) 53 (fun x => negb (Z.even x)) ltac:(lia) ltac:(lia) symmetric a b A B L) as H.
  fold b64 in H. fold rnd64 in H.
  replace (b - rnd64 (rnd64 (a + b) - a)) with (b + rnd64 (a - rnd64 (a + b))).
  - exact H.
  - replace (a - rnd64 (a + b)) with (- (rnd64 (a + b) - a)) by ring. rewrite rnd64_opp. ring.
Qed.

(* dd_add_exact: if the first parts' sum s is exact, either |t| <= 2 |s + t|, or s + t is exact, too (Sterbenz). *)
Theorem sum_ratio : forall s t, Rabs t <= 2 * Rabs (s + t) \/ (Rabs s / 2 <= Rabs t <= 2 * Rabs s /\ s * t <= 0).
Proof.
  intros s t. unfold Rabs. destruct (Rcase_abs s); destruct (Rcase_abs t); destruct (Rcase_abs (s + t));
    first [left; lra
          | destruct (Rle_dec (- t) (2 * s)); destruct (Rle_dec (s / 2) (- t)); first [left; lra | right; split; [lra|nra]]
          | destruct (Rle_dec t (2 * - s)); destruct (Rle_dec (- s / 2) t); first [left; lra | right; split; [lra|nra]]].
Qed.

Theorem sterbenz64 : forall s t, double s -> double t -> 0 <= s -> s / 2 <= t <= 2 * s -> rnd64 (s - t) = s - t.
Proof.
  intros s t S T P H. apply round_generic; [apply valid_rnd_N|].
  replace (s - t) with (- (t - s)) by ring. apply generic_format_opp. unfold double, b64 in *.
  apply sterbenz; try typeclasses eauto; try assumption; lra.
Qed.

(* dd_add_low, dd_add_high: first parts of opposite sign of which neither is below 1, with a sum below 2, have it exactly.  So if
   the sum is rounded, one of them is below 1, and the rests are at most u / 2 and 2 u. *)
Lemma multiple : forall x, double x -> 1 <= Rabs x -> exists k, x = IZR k * bpow radix2 (-52).
Proof.
  intros x X L. assert (E : (-52 <= cexp radix2 b64 x)%Z).
  { unfold cexp, b64, FLT_exp. assert (1 <= mag radix2 x)%Z; [|lia].
    apply mag_ge_bpow. simpl. exact L. }
  exists (Ztrunc (scaled_mantissa radix2 b64 x) * 2 ^ (cexp radix2 b64 x + 52))%Z.
  unfold double, generic_format in X. rewrite X at 1. unfold F2R; simpl Fnum; simpl Fexp.
  rewrite mult_IZR. rewrite (IZR_Zpower radix2) by lia. rewrite Rmult_assoc, <- bpow_plus.
  f_equal. f_equal. lia.
Qed.

Theorem large_sum_exact : forall a b, double a -> double b -> 1 <= Rabs a -> 1 <= Rabs b -> Rabs (a + b) < 2 ->
  rnd64 (a + b) = a + b.
Proof.
  intros a b A B LA LB S. destruct (multiple a A LA) as [i I]. destruct (multiple b B LB) as [j J].
  apply round_generic; [apply valid_rnd_N|]. apply generic_format_FLT. apply FLT_spec with (Float radix2 (i + j) (-52)).
  - unfold F2R; simpl. rewrite plus_IZR, I, J. simpl. ring.
  - simpl. apply lt_IZR. rewrite abs_IZR, plus_IZR.
    assert (E : a + b = (IZR i + IZR j) * bpow radix2 (-52)) by (rewrite I, J; ring).
    rewrite E, Rabs_mult in S. rewrite (Rabs_right (bpow radix2 (-52))) in S by (apply Rle_ge; apply bpow_ge_0).
    apply Rmult_lt_reg_r with (bpow radix2 (-52)); [apply bpow_gt_0|].
    apply Rlt_le_trans with (1 := S). simpl. lra.
  - simpl. lia.
Qed.
