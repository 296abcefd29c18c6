(* convolution.v - from the constants of passes to the largest error of a coefficient: doc/error-bound.md, sections 6 to 8.

   A pass is a pair of maps: what it is meant to compute, and what it computes.  Of the latter nothing is known but its error
   on each input.  tree.v has the passes of a tree; steps.v proves the errors of steps.

   SPDX-License-Identifier: LGPL-3.0-or-later *)
Require Import Reals Lra Lia Psatz Arith List.
Require Import complex.
Import ListNotations.
Open Scope R_scope.

Section Convolution.

Variable u : R. (* unit roundoff *)
Hypothesis u_pos : 0 <= u.
Variable n : nat. (* points *)

(* ---- forwards: section 6, Lemma 3 ---- *)

(* exact, computed; behind: the part of a vector that the pass multiplies by twiddles *)
Record pass := {
  exact : vec -> vec; computed : vec -> vec; behind : vec -> vec;
  factor : R; plain : R; twiddle : R
}.

Definition pass_error (p : pass) (v : vec) :=
  factor p * ((exp (plain p * u) - 1) * nrm n v + exp (plain p * u) * (exp (twiddle p * u) - 1) * nrm n (behind p v)).

Record pass_ok (p : pass) : Prop := {
  factor_pos : 0 <= factor p;
  plain_pos : 0 <= plain p;
  twiddle_pos : 0 <= twiddle p;
  exact_linear : forall v w i, (i < n)%nat -> exact p (vsub v w) i = csub (exact p v i) (exact p w i);
  exact_norm : forall v, nrm n (exact p v) <= factor p * nrm n v;
  behind_part : forall v, nrm n (behind p v) <= nrm n v;
  behind_near : forall v w, nrm n (behind p v) <= nrm n (behind p w) + nrm n (vsub v w);
  computed_near : forall v, nrm n (vsub (computed p v) (exact p v)) <= pass_error p v
}.

Fixpoint run_exact (ps : list pass) (v : vec) : vec := match ps with [] => v | p :: r => run_exact r (exact p v) end.
Fixpoint run_computed (ps : list pass) (v : vec) : vec := match ps with [] => v | p :: r => run_computed r (computed p v) end.
Fixpoint factors (ps : list pass) : R := match ps with [] => 1 | p :: r => factor p * factors r end.
(* F_f *)
Fixpoint full (ps : list pass) : R := match ps with [] => 0 | p :: r => plain p + twiddle p + full r end.
(* D(x); es: the roots of E_s, norm: N *)
Fixpoint deviation (ps : list pass) (es : list R) (norm : R) : R :=
  match ps, es with
  | p :: r, e :: er => plain p * norm + twiddle p * e + deviation r er norm
  | _, _ => 0
  end.
(* Each pass has its share, relative to the factors so far. *)
Fixpoint shares (f : R) (ps : list pass) (es : list R) (v : vec) : Prop :=
  match ps, es with
  | [], [] => True
  | p :: r, e :: er => 0 <= e /\ nrm n (behind p v) <= f * e /\ shares (f * factor p) r er (exact p v)
  | _, _ => False
  end.

Lemma full_pos : forall ps, Forall pass_ok ps -> 0 <= full ps.
Proof.
  induction ps as [|p r IH]; intros H; simpl; [lra|]. inversion_clear H.
  specialize (IH H1). destruct H0. lra.
Qed.

Lemma factors_pos : forall ps, Forall pass_ok ps -> 0 <= factors ps.
Proof.
  induction ps as [|p r IH]; intros H; simpl; [lra|]. inversion_clear H.
  specialize (IH H1). destruct H0. apply Rmult_le_pos; assumption.
Qed.

Lemma deviation_pos : forall ps es f v norm, Forall pass_ok ps -> shares f ps es v -> 0 <= norm -> 0 <= deviation ps es norm.
Proof.
  induction ps as [|p r IH]; intros es f v norm H S N; destruct es as [|e er]; simpl in *; try lra; try contradiction.
  inversion_clear H. destruct S as [E [_ S]]. destruct H0.
  specialize (IH er _ _ norm H1 S N).
  assert (0 <= plain p * norm) by (apply Rmult_le_pos; assumption).
  assert (0 <= twiddle p * e) by (apply Rmult_le_pos; assumption). lra.
Qed.

Lemma exp_units : forall a, 0 <= a -> 1 <= exp (a * u).
Proof. intros a A. apply exp_ge1. apply Rmult_le_pos; assumption. Qed.

Lemma nrm_ext : forall v w, (forall i, (i < n)%nat -> v i = w i) -> nrm n v = nrm n w.
Proof. intros v w H. unfold nrm. f_equal. apply sum_ext. intros i I. rewrite H; auto. Qed.

(* One pass: deviations. *)
Lemma pass_deviation : forall p v v' f d e norm,
  pass_ok p -> 0 <= f -> 0 <= d -> nrm n v <= f * norm -> nrm n (behind p v) <= f * e -> 0 <= e -> 0 <= norm ->
  nrm n (vsub v' v) <= f * d ->
  nrm n (vsub (computed p v') (exact p v))
    <= f * factor p * (exp ((plain p + twiddle p) * u) * (d + u * (plain p * norm + twiddle p * e))).
Proof.
  intros p v v' f d e norm OK F D N B E NN V. destruct OK as [fp pp tp lin no bp bn cn].
  pose proof (nrm_via n (computed p v') (exact p v') (exact p v)) as T.
  assert (L : nrm n (vsub (exact p v') (exact p v)) <= factor p * (f * d)).
  { rewrite <- (nrm_ext (exact p (vsub v' v)) (vsub (exact p v') (exact p v))).
    - apply Rle_trans with (1 := no _). apply Rmult_le_compat_l; assumption.
    - intros i I. apply lin. exact I. }
  pose proof (cn v') as Cn. unfold pass_error in Cn.
  pose proof (nrm_near n v' v) as NV. pose proof (bn v' v) as BV.
  set (a := exp (plain p * u)) in *. set (b := exp (twiddle p * u)) in *.
  assert (A1 : 1 <= a) by (apply exp_units; assumption).
  assert (B1 : 1 <= b) by (apply exp_units; assumption).
  assert (A2 : a - 1 <= plain p * u * a) by apply exp_minus1.
  assert (B2 : b - 1 <= twiddle p * u * b) by apply exp_minus1.
  replace (exp ((plain p + twiddle p) * u)) with (a * b) by (unfold a, b; rewrite <- exp_plus; f_equal; ring).
  assert (M1 : (a - 1) * nrm n v' <= (a - 1) * (f * (norm + d))) by (apply Rmult_le_compat_l; lra).
  assert (M2 : a * (b - 1) * nrm n (behind p v') <= a * (b - 1) * (f * (e + d))).
  { apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos; lra. }
  apply Rle_trans with (factor p * ((a - 1) * (f * (norm + d)) + a * (b - 1) * (f * (e + d))) + factor p * (f * d)).
  { apply Rle_trans with (1 := T). apply Rplus_le_compat; [|exact L].
    apply Rle_trans with (1 := Cn). apply Rmult_le_compat_l; lra. }
  replace (factor p * ((a - 1) * (f * (norm + d)) + a * (b - 1) * (f * (e + d))) + factor p * (f * d))
    with (f * factor p * (a * b * d + (a - 1) * norm + a * (b - 1) * e)) by ring.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption|].
  assert (P0 : 0 <= plain p * u) by (apply Rmult_le_pos; assumption).
  assert (T0 : 0 <= twiddle p * u) by (apply Rmult_le_pos; assumption).
  assert (Q1 : (a - 1) * norm <= plain p * u * (a * b) * norm).
  { apply Rmult_le_compat_r; [assumption|]. apply Rle_trans with (1 := A2).
    rewrite <- (Rmult_1_r (plain p * u * a)). rewrite <- (Rmult_assoc (plain p * u)). apply Rmult_le_compat_l; [|exact B1].
    apply Rmult_le_pos; lra. }
  assert (Q2 : a * (b - 1) * e <= twiddle p * u * (a * b) * e).
  { apply Rmult_le_compat_r; [assumption|]. replace (twiddle p * u * (a * b)) with (a * (twiddle p * u * b)) by ring.
    apply Rmult_le_compat_l; lra. }
  lra.
Qed.

Lemma pass_size : forall p v, pass_ok p ->
  nrm n (computed p v) <= factor p * exp ((plain p + twiddle p) * u) * nrm n v.
Proof.
  intros p v OK. destruct OK as [fp pp tp lin no bp bn cn].
  pose proof (nrm_near n (computed p v) (exact p v)) as T. pose proof (cn v) as Cn. unfold pass_error in Cn.
  pose proof (no v). pose proof (bp v). pose proof (nrm_pos n v).
  set (a := exp (plain p * u)) in *. set (b := exp (twiddle p * u)) in *.
  assert (A1 : 1 <= a) by (apply exp_units; assumption).
  assert (B1 : 1 <= b) by (apply exp_units; assumption).
  replace (exp ((plain p + twiddle p) * u)) with (a * b) by (unfold a, b; rewrite <- exp_plus; f_equal; ring).
  assert (M2 : a * (b - 1) * nrm n (behind p v) <= a * (b - 1) * nrm n v).
  { apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; lra. }
  apply Rle_trans with (factor p * nrm n v + factor p * ((a - 1) * nrm n v + a * (b - 1) * nrm n v)).
  - apply Rle_trans with (1 := T). apply Rplus_le_compat; [assumption|].
    apply Rle_trans with (1 := Cn). apply Rmult_le_compat_l; lra.
  - right. ring.
Qed.

Lemma forward_deviation : forall ps es v v' f d norm,
  Forall pass_ok ps -> shares f ps es v -> 0 <= f -> 0 <= d -> 0 <= norm -> nrm n v <= f * norm ->
  nrm n (vsub v' v) <= f * d ->
  nrm n (vsub (run_computed ps v') (run_exact ps v))
    <= f * factors ps * (exp (full ps * u) * (d + u * deviation ps es norm)).
Proof.
  induction ps as [|p r IH]; intros es v v' f d norm OK S F D N NV V; destruct es as [|e er]; simpl in S; try contradiction;
    simpl.
  - rewrite !Rmult_0_l, exp_0. rewrite Rmult_0_r, Rplus_0_r, Rmult_1_l, Rmult_1_r. exact V.
  - destruct S as [E [B S]]. inversion_clear OK. rename H into OK, H0 into OKR.
    pose proof (pass_deviation p v v' f d e norm OK F D NV B E N V) as PD.
    pose proof OK as OK'. destruct OK' as [fp pp tp lin no bp bn cn].
    set (d2 := exp ((plain p + twiddle p) * u) * (d + u * (plain p * norm + twiddle p * e))) in *.
    assert (D1 : 0 <= u * (plain p * norm + twiddle p * e)).
    { apply Rmult_le_pos; [assumption|]. apply Rplus_le_le_0_compat; apply Rmult_le_pos; assumption. }
    assert (E1 : 1 <= exp ((plain p + twiddle p) * u)) by (apply exp_units; lra).
    assert (D2 : 0 <= d2) by (apply Rmult_le_pos; lra).
    assert (NV2 : nrm n (exact p v) <= f * factor p * norm).
    { apply Rle_trans with (1 := no v). replace (f * factor p * norm) with (factor p * (f * norm)) by ring.
      apply Rmult_le_compat_l; assumption. }
    assert (FF : 0 <= f * factor p) by (apply Rmult_le_pos; assumption).
    specialize (IH er (exact p v) (computed p v') (f * factor p) d2 norm OKR S FF D2 N NV2 PD).
    apply Rle_trans with (1 := IH).
    rewrite <- !Rmult_assoc. rewrite !(Rmult_assoc (f * factor p * factors r)).
    apply Rmult_le_compat_l. { apply Rmult_le_pos; [assumption|apply factors_pos; assumption]. }
    pose proof (deviation_pos r er _ _ norm OKR S N) as DP.
    replace ((plain p + twiddle p + full r) * u) with ((plain p + twiddle p) * u + full r * u) by ring.
    rewrite exp_plus. set (g := exp ((plain p + twiddle p) * u)) in *. set (h := exp (full r * u)) in *.
    assert (H1 : 1 <= h) by (apply exp_units; apply full_pos; assumption).
    unfold d2. clear d2 D2 PD IH.
    set (k := deviation r er norm) in *.
    assert (UK : 0 <= u * k) by (apply Rmult_le_pos; assumption).
    replace (g * h * (d + u * (plain p * norm + twiddle p * e + k)))
      with (h * (g * (d + u * (plain p * norm + twiddle p * e)) + g * (u * k))) by ring.
    apply Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_l. rewrite <- (Rmult_1_l (u * k)) at 1.
    apply Rmult_le_compat_r; assumption.
Qed.

(* Lemma 3, first line.  norm: ||x||. *)
Theorem forward_error : forall ps es x, Forall pass_ok ps -> shares 1 ps es x ->
  nrm n (vsub (run_computed ps x) (run_exact ps x))
    <= factors ps * u * exp (full ps * u) * deviation ps es (nrm n x).
Proof.
  intros ps es x OK S.
  pose proof (forward_deviation ps es x x 1 0 (nrm n x) OK S) as H.
  replace (factors ps * u * exp (full ps * u) * deviation ps es (nrm n x))
    with (1 * factors ps * (exp (full ps * u) * (0 + u * deviation ps es (nrm n x)))) by ring.
  apply H; try lra; try apply nrm_pos.
  rewrite Rmult_0_r. apply nrm_le; [lra|]. right. rewrite (sum_ext _ _ (fun _ => 0 * 0)).
  - rewrite sum_scal. ring.
  - intros i _. unfold vsub, csub, sq; simpl. ring.
Qed.

(* Lemma 3, second line, for any input. *)
Theorem forward_size : forall ps x, Forall pass_ok ps ->
  nrm n (run_computed ps x) <= factors ps * exp (full ps * u) * nrm n x.
Proof.
  induction ps as [|p r IH]; intros x OK; simpl.
  - rewrite Rmult_0_l, exp_0. lra.
  - inversion_clear OK. apply Rle_trans with (1 := IH (computed p x) H0).
    pose proof (pass_size p x H) as P.
    replace (factor p * factors r * exp ((plain p + twiddle p + full r) * u) * nrm n x)
      with (factors r * exp (full r * u) * (factor p * exp ((plain p + twiddle p) * u) * nrm n x)).
    + apply Rmult_le_compat_l; [|exact P]. apply Rmult_le_pos; [apply factors_pos; assumption|left; apply exp_pos].
    + replace ((plain p + twiddle p + full r) * u) with ((plain p + twiddle p) * u + full r * u) by ring.
      rewrite exp_plus. ring.
Qed.

Lemma exact_size : forall ps x, Forall pass_ok ps -> nrm n (run_exact ps x) <= factors ps * nrm n x.
Proof.
  induction ps as [|p r IH]; intros x OK; simpl; [lra|].
  inversion_clear OK. apply Rle_trans with (1 := IH (exact p x) H0).
  destruct H as [fp pp tp lin no bp bn cn].
  replace (factor p * factors r * nrm n x) with (factors r * (factor p * nrm n x)) by ring.
  apply Rmult_le_compat_l; [apply factors_pos; assumption|apply no].
Qed.

(* ---- the product of spectra, in the sum of the moduli ---- *)

Lemma product_error : forall (x x' y y' z' : vec) g, 0 <= g ->
  (forall k, (k < n)%nat -> md (csub (z' k) (cmul (x' k) (y' k))) <= (exp (g * u) - 1) * (md (x' k) * md (y' k))) ->
  nrm1 n (vsub z' (fun k => cmul (x k) (y k)))
    <= nrm n (vsub x' x) * nrm n y' + nrm n x * nrm n (vsub y' y) + (exp (g * u) - 1) * (nrm n x' * nrm n y').
Proof.
  intros x x' y y' z' g G H.
  assert (E : 0 <= exp (g * u) - 1) by (pose proof (exp_units g G); lra).
  apply Rle_trans with
    (sum n (fun k => (md (vsub x' x k) * md (y' k) + md (x k) * md (vsub y' y k))
                     + (exp (g * u) - 1) * (md (x' k) * md (y' k)))).
  - apply sum_le. intros k K.
    apply Rle_trans with (1 := md_via _ (cmul (x' k) (y' k)) _). rewrite Rplus_comm.
    apply Rplus_le_compat; [|apply H; exact K].
    unfold vsub. rewrite <- !md_mul.
    replace (csub (cmul (x' k) (y' k)) (cmul (x k) (y k)))
      with (cadd (cmul (csub (x' k) (x k)) (y' k)) (cmul (x k) (csub (y' k) (y k)))) by csimp.
    apply md_add.
  - rewrite !sum_add, sum_scal.
    pose proof (cauchy n (vsub x' x) y'). pose proof (cauchy n x (vsub y' y)). pose proof (cauchy n x' y').
    apply Rplus_le_compat; [apply Rplus_le_compat; assumption|]. apply Rmult_le_compat_l; assumption.
Qed.

Lemma product_size : forall (x' y' z' : vec) g, 0 <= g ->
  (forall k, (k < n)%nat -> md (csub (z' k) (cmul (x' k) (y' k))) <= (exp (g * u) - 1) * (md (x' k) * md (y' k))) ->
  nrm1 n z' <= exp (g * u) * (nrm n x' * nrm n y').
Proof.
  intros x' y' z' g G H.
  apply Rle_trans with (sum n (fun k => exp (g * u) * (md (x' k) * md (y' k)))).
  - apply sum_le. intros k K. pose proof (H k K) as B. pose proof (md_near (z' k) (cmul (x' k) (y' k))) as T.
    rewrite md_mul in T. lra.
  - rewrite sum_scal. apply Rmult_le_compat_l; [left; apply exp_pos|apply cauchy].
Qed.

(* ---- backwards: the tree of sums, section 7 ---- *)

(* A pass that joins `arity` nodes of m points to one.  Point j of the whole is made of the points that agree with j modulo m. *)
Record ipass := { iexact : vec -> vec; icomputed : vec -> vec; arity : nat; iconst : R }.

Definition reads (m r : nat) (f : nat -> R) (j : nat) := sum r (fun t => f (j / (r * m) * (r * m) + t * m + j mod m)%nat).
Definition block (m : nat) (f : nat -> R) (j : nat) := sum m (fun i => f (j / m * m + i)%nat).

Record ipass_ok (m : nat) (p : ipass) : Prop := {
  arity_pos : (0 < arity p)%nat;
  iconst_pos : 0 <= iconst p;
  iexact_linear : forall v w j, (j < n)%nat -> iexact p (vsub v w) j = csub (iexact p v j) (iexact p w j);
  iexact_size : forall v j, (j < n)%nat -> md (iexact p v j) <= reads m (arity p) (fun i => md (v i)) j;
  icomputed_near : forall v j, (j < n)%nat ->
    md (csub (icomputed p v j) (iexact p v j)) <= (exp (iconst p * u) - 1) * reads m (arity p) (fun i => md (v i)) j
}.

Fixpoint irun_exact (ps : list ipass) (v : vec) : vec := match ps with [] => v | p :: r => irun_exact r (iexact p v) end.
Fixpoint irun_computed (ps : list ipass) (v : vec) : vec := match ps with [] => v | p :: r => irun_computed r (icomputed p v) end.
(* D_i *)
Fixpoint ifull (ps : list ipass) : R := match ps with [] => 0 | p :: r => iconst p + ifull r end.
Fixpoint arities (ps : list ipass) : nat := match ps with [] => 1 | p :: r => (arity p * arities r)%nat end.
Fixpoint ipasses_ok (m : nat) (ps : list ipass) : Prop :=
  match ps with [] => True | p :: r => ipass_ok m p /\ ipasses_ok (arity p * m) r end.

Lemma ifull_pos : forall ps m, ipasses_ok m ps -> 0 <= ifull ps.
Proof.
  induction ps as [|p r IH]; intros m H; simpl in *; [lra|]. destruct H as [H H2].
  specialize (IH _ H2). destruct H. lra.
Qed.

(* The points below a whole node are those below its parts. *)
Lemma reads_block : forall m r f j, (0 < m)%nat -> (0 < r)%nat -> reads m r (block m f) j = block (r * m) f j.
Proof.
  intros m r f j M Rp. unfold reads, block.
  rewrite <- (sum_blocks r m (fun i => f (j / (r * m) * (r * m) + i)%nat)).
  apply sum_ext. intros t T. apply sum_ext. intros i I. f_equal.
  assert (E : ((j / (r * m) * (r * m) + t * m + j mod m) / m = j / (r * m) * r + t)%nat).
  { replace (j / (r * m) * (r * m) + t * m + j mod m)%nat with (j mod m + (j / (r * m) * r + t) * m)%nat by ring.
    rewrite Nat.div_add by lia. rewrite (Nat.div_small (j mod m) m); [lia|]. apply Nat.mod_upper_bound. lia. }
  rewrite E. ring.
Qed.

(* What is read lies below n. *)
Lemma reads_below : forall m r j t, (0 < m)%nat -> (0 < r)%nat -> Nat.divide (r * m) n -> (j < n)%nat -> (t < r)%nat ->
  (j / (r * m) * (r * m) + t * m + j mod m < n)%nat.
Proof.
  intros m r j t M Rp [q Q] J T.
  assert (j / (r * m) < q)%nat.
  { apply Nat.div_lt_upper_bound; [nia|]. rewrite Nat.mul_comm. rewrite <- Q. exact J. }
  assert (j mod m < m)%nat by (apply Nat.mod_upper_bound; lia).
  assert ((j / (r * m) + 1) * (r * m) <= q * (r * m))%nat by (apply Nat.mul_le_mono_r; lia).
  assert ((t + 1) * m <= r * m)%nat by (apply Nat.mul_le_mono_r; lia).
  nia.
Qed.

Lemma reads_le : forall m r f g j, (0 < m)%nat -> (0 < r)%nat -> Nat.divide (r * m) n -> (j < n)%nat ->
  (forall i, (i < n)%nat -> f i <= g i) -> reads m r f j <= reads m r g j.
Proof. intros. unfold reads. apply sum_le. intros t T. apply H3. apply reads_below; assumption. Qed.

Lemma reads_scal : forall m r a f j, reads m r (fun i => a * f i) j = a * reads m r f j.
Proof. intros. unfold reads. apply sum_scal. Qed.

Lemma inverse_chain : forall ps m leaf v v' a, (0 < m)%nat -> ipasses_ok m ps -> n = (arities ps * m)%nat -> 0 <= a ->
  (forall i, (i < n)%nat -> 0 <= leaf i) ->
  (forall j, (j < n)%nat -> md (v j) <= block m leaf j) ->
  (forall j, (j < n)%nat -> md (csub (v' j) (v j)) <= (exp (a * u) - 1) * block m leaf j) ->
  forall j, (j < n)%nat ->
    md (irun_exact ps v j) <= block n leaf j /\
    md (csub (irun_computed ps v' j) (irun_exact ps v j)) <= (exp ((a + ifull ps) * u) - 1) * block n leaf j.
Proof.
  induction ps as [|p r IH]; intros m leaf v v' a M OK E A L V D j J; simpl in *.
  - rewrite Nat.add_0_r in E. subst m. rewrite Rplus_0_r. split; [apply V|apply D]; exact J.
  - destruct OK as [OK OKR]. pose proof OK as OK'. destruct OK' as [ap ip lin size near].
    assert (DIV : Nat.divide (arity p * m) n) by (exists (arities r); rewrite E; ring).
    replace (a + (iconst p + ifull r)) with (a + iconst p + ifull r) by ring.
    apply IH with (m := (arity p * m)%nat); auto; try lra.
    + nia.
    + rewrite E. ring.
    + intros k K. apply Rle_trans with (1 := size v k K). rewrite <- reads_block by assumption.
      apply reads_le; auto.
    + intros k K. apply Rle_trans with (1 := md_via _ (iexact p v' k) _).
      rewrite <- lin by exact K.
      apply Rle_trans with ((exp (iconst p * u) - 1) * (exp (a * u) * block (arity p * m) leaf k)
                            + (exp (a * u) - 1) * block (arity p * m) leaf k).
      * apply Rplus_le_compat.
        -- apply Rle_trans with (1 := near v' k K). apply Rmult_le_compat_l.
           { pose proof (exp_units (iconst p) ip). lra. }
           rewrite <- reads_block by assumption. rewrite <- reads_scal. apply reads_le; auto.
           intros i I. pose proof (md_near (v' i) (v i)). pose proof (V i I). pose proof (D i I). lra.
        -- apply Rle_trans with (1 := size _ k K). rewrite <- reads_block by assumption. rewrite <- reads_scal.
           apply reads_le; auto.
      * right. replace ((a + iconst p) * u) with (a * u + iconst p * u) by ring. rewrite exp_plus. ring.
Qed.

Lemma block_all : forall f j, (j < n)%nat -> block n f j = sum n f.
Proof. intros f j J. unfold block. apply sum_ext. intros i I. f_equal. rewrite Nat.div_small by exact J. reflexivity. Qed.

Theorem inverse_error : forall ps v j, ipasses_ok 1 ps -> n = arities ps -> (j < n)%nat ->
  md (irun_exact ps v j) <= nrm1 n v /\
  md (csub (irun_computed ps v j) (irun_exact ps v j)) <= (exp (ifull ps * u) - 1) * nrm1 n v.
Proof.
  intros ps v j OK E J.
  assert (B : forall k, block 1 (fun i => md (v i)) k = md (v k)).
  { intros k. unfold block, sum. rewrite Nat.div_1_r, Nat.mul_1_r, Nat.add_0_r. ring. }
  pose proof (inverse_chain ps 1 (fun i => md (v i)) v v 0) as H.
  rewrite Rplus_0_l in H. unfold nrm1. rewrite <- (block_all _ j J). apply H; auto; try lra; try lia.
  - intros. apply md_pos.
  - intros k _. rewrite B. lra.
  - intros k _. rewrite B. replace (csub (v k) (v k)) with czero by csimp. rewrite Rmult_0_l, exp_0.
    unfold md. rewrite sq_zero, sqrt_0. lra.
Qed.

(* The exact inverse of a difference. *)
Lemma inverse_difference : forall ps m leaf v w, (0 < m)%nat -> ipasses_ok m ps -> n = (arities ps * m)%nat ->
  (forall j, (j < n)%nat -> md (csub (v j) (w j)) <= block m leaf j) ->
  forall j, (j < n)%nat -> md (csub (irun_exact ps v j) (irun_exact ps w j)) <= block n leaf j.
Proof.
  induction ps as [|p r IH]; intros m leaf v w M OK E D j J; simpl in *.
  - rewrite Nat.add_0_r in E. subst m. apply D. exact J.
  - destruct OK as [OK OKR]. destruct OK as [ap ip lin size near].
    assert (DIV : Nat.divide (arity p * m) n) by (exists (arities r); rewrite E; ring).
    apply IH with (m := (arity p * m)%nat); auto; try nia.
    intros k K. rewrite <- lin by exact K. apply Rle_trans with (1 := size _ k K).
    rewrite <- reads_block by assumption. apply reads_le; auto.
Qed.

Lemma inverse_exact_difference : forall ps v w j, ipasses_ok 1 ps -> n = arities ps -> (j < n)%nat ->
  md (csub (irun_exact ps v j) (irun_exact ps w j)) <= nrm1 n (vsub v w).
Proof.
  intros ps v w j OK E J. unfold nrm1. rewrite <- (block_all _ j J).
  apply inverse_difference with (m := 1%nat); auto; try lia.
  intros k _. unfold block, sum. rewrite Nat.div_1_r, Nat.mul_1_r, Nat.add_0_r. unfold vsub. lra.
Qed.

(* ---- the theorem of section 7 ---- *)

Section Bound.

Variable fs : list pass.
Variable bs : list ipass.
Hypothesis fs_ok : Forall pass_ok fs.
Hypothesis bs_ok : ipasses_ok 1 bs.
Hypothesis n_leaves : n = arities bs.
Hypothesis n_factors : factors fs * factors fs = INR n.

Variables x y z : vec.     (* digits, and their convolution *)
Variables ex ey : list R.  (* roots of E_s *)
Hypothesis x_shares : shares 1 fs ex x.
Hypothesis y_shares : shares 1 fs ey y.

Variables g s : R. (* constants of product and scale *)
Hypothesis g_pos : 0 <= g.
Hypothesis s_pos : 0 <= s.

(* The exact transforms convolve: the inverse is not divided by n. *)
Hypothesis convolve : forall j, (j < n)%nat ->
  irun_exact bs (fun k => cmul (run_exact fs x k) (run_exact fs y k)) j = point (INR n * re (z j)) (INR n * im (z j)).

(* computed: spectrum of the product, coefficients *)
Variable spectrum : vec.
Hypothesis spectrum_near : forall k, (k < n)%nat ->
  md (csub (spectrum k) (cmul (run_computed fs x k) (run_computed fs y k)))
    <= (exp (g * u) - 1) * (md (run_computed fs x k) * md (run_computed fs y k)).
Variable coefficient : vec.
Definition scaled (a : C) := point (re a / INR n) (im a / INR n).
Hypothesis coefficient_near : forall j, (j < n)%nat ->
  md (csub (coefficient j) (scaled (irun_computed bs spectrum j)))
    <= (exp (s * u) - 1) * md (scaled (irun_computed bs spectrum j)).

Lemma md_scaled : forall a, (0 < n)%nat -> md (scaled a) = md a / INR n.
Proof.
  intros a N. assert (P : 0 < INR n) by (apply lt_0_INR; exact N).
  unfold md. replace (sq (scaled a)) with (sq a * (/ INR n * / INR n)) by (unfold sq, scaled; simpl; field; lra).
  rewrite sqrt_mult; [|apply sq_pos|].
  - rewrite sqrt_square; [reflexivity|]. left. apply Rinv_0_lt_compat. exact P.
  - left. apply Rmult_lt_0_compat; apply Rinv_0_lt_compat; exact P.
Qed.

Definition bound_terms :=
  deviation fs ex (nrm n x) * nrm n y + nrm n x * deviation fs ey (nrm n y)
  + (g + ifull bs + s) * (nrm n x * nrm n y).
Definition all := 2 * full fs + g + ifull bs + s.

Theorem convolution_error : forall j, (j < n)%nat ->
  md (csub (coefficient j) (z j)) <= u * exp (all * u) * bound_terms.
Proof.
  intros j J.
  assert (N : (0 < n)%nat) by lia. assert (NP : 0 < INR n) by (apply lt_0_INR; exact N).
  set (x' := run_computed fs x). set (y' := run_computed fs y).
  set (X := run_exact fs x). set (Y := run_exact fs y).
  pose proof (forward_error fs ex x fs_ok x_shares) as EX. pose proof (forward_error fs ey y fs_ok y_shares) as EY.
  pose proof (forward_size fs x fs_ok) as SX. pose proof (forward_size fs y fs_ok) as SY.
  pose proof (exact_size fs x fs_ok) as RX.
  pose proof (product_error X x' Y y' spectrum g g_pos spectrum_near) as PE.
  pose proof (product_size x' y' spectrum g g_pos spectrum_near) as PS.
  fold x' in EX, SX. fold y' in EY, SY. fold X in EX, RX. fold Y in EY.
  destruct (inverse_error bs spectrum j bs_ok n_leaves J) as [IS IE].
  pose proof (inverse_exact_difference bs spectrum (fun k => cmul (X k) (Y k)) j bs_ok n_leaves J) as ID.
  pose proof (coefficient_near j J) as CN. rewrite md_scaled in CN by exact N.
  set (t' := irun_computed bs spectrum j) in *. set (t := irun_exact bs spectrum j) in *.
  pose proof (convolve j J) as CV. fold X Y in CV.
  set (c := irun_exact bs (fun k => cmul (X k) (Y k)) j) in *.
  set (f := exp (full fs * u)) in *. set (eg := exp (g * u)) in *. set (ei := exp (ifull bs * u)) in *.
  set (es := exp (s * u)) in *. set (w := factors fs) in *.
  set (a := nrm n x) in *. set (b := nrm n y) in *.
  set (dx := deviation fs ex a) in *. set (dy := deviation fs ey b) in *.
  assert (F1 : 1 <= f) by (apply exp_units; apply full_pos; assumption).
  assert (G1 : 1 <= eg) by (apply exp_units; assumption).
  assert (I0 : 0 <= ifull bs) by (apply (ifull_pos bs 1 bs_ok)).
  assert (I1 : 1 <= ei) by (apply exp_units; assumption).
  assert (S1 : 1 <= es) by (apply exp_units; assumption).
  assert (W : 0 <= w) by (apply factors_pos; assumption).
  assert (A : 0 <= a) by apply nrm_pos. assert (B : 0 <= b) by apply nrm_pos.
  assert (DX : 0 <= dx) by (apply (deviation_pos fs ex 1 x); assumption).
  assert (DY : 0 <= dy) by (apply (deviation_pos fs ey 1 y); assumption).
  assert (GE : eg - 1 <= g * u * eg) by apply exp_minus1.
  assert (IEX : ei - 1 <= ifull bs * u * ei) by apply exp_minus1.
  assert (SE : es - 1 <= s * u * es) by apply exp_minus1.
  assert (AB : 0 <= a * b) by (apply Rmult_le_pos; assumption).
  assert (UX : 0 <= u * dx * b) by (repeat apply Rmult_le_pos; assumption).
  assert (UY : 0 <= u * a * dy) by (repeat apply Rmult_le_pos; assumption).
  assert (GU : 0 <= g * u) by (apply Rmult_le_pos; assumption).
  assert (ff : f <= f * f) by (rewrite <- (Rmult_1_l f) at 1; apply Rmult_le_compat_r; lra).
  pose (q := f * f * eg).
  assert (Q0 : 0 <= f * f) by (apply Rmult_le_pos; lra).
  assert (Q1 : f * f <= q) by (unfold q; rewrite <- (Rmult_1_r (f * f)) at 1; apply Rmult_le_compat_l; lra).
  (* the product *)
  assert (P1 : nrm1 n (vsub spectrum (fun k => cmul (X k) (Y k))) <= INR n * (u * q * (dx * b + a * dy + g * (a * b)))).
  { apply Rle_trans with (1 := PE).
    apply Rle_trans with ((w * u * f * dx) * (w * f * b) + (w * a) * (w * u * f * dy) + (g * u * eg) * ((w * f * a) * (w * f
      * b))).
    - apply Rplus_le_compat; [apply Rplus_le_compat|].
      + apply Rmult_le_compat; try apply nrm_pos; assumption.
      + apply Rmult_le_compat; try apply nrm_pos; assumption.
      + apply Rmult_le_compat; try assumption; try lra.
        * apply Rmult_le_pos; apply nrm_pos.
        * apply Rmult_le_compat; try apply nrm_pos; assumption.
    - rewrite <- n_factors. fold w.
      replace (w * u * f * dx * (w * f * b) + w * a * (w * u * f * dy) + g * u * eg * (w * f * a * (w * f * b)))
        with (w * w * (f * f * (u * dx * b) + f * (u * a * dy) + q * (u * g * (a * b)))) by (unfold q; ring).
      apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption|].
      assert (f * f * (u * dx * b) <= q * (u * dx * b)) by (apply Rmult_le_compat_r; assumption).
      assert (f * (u * a * dy) <= q * (u * a * dy)) by (apply Rmult_le_compat_r; lra).
      lra. }
  assert (P2 : nrm1 n spectrum <= INR n * (q * (a * b))).
  { apply Rle_trans with (1 := PS). rewrite <- n_factors. fold w.
    replace (w * w * (q * (a * b))) with (eg * ((w * f * a) * (w * f * b))) by (unfold q; ring).
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; try apply nrm_pos; assumption. }
  (* the inverse *)
  assert (Tn : md (csub t' c) <= INR n * (u * (q * ei) * (dx * b + a * dy + (g + ifull bs) * (a * b)))).
  { apply Rle_trans with (1 := md_via t' t c).
    apply Rle_trans with (ifull bs * u * ei * (INR n * (q * (a * b))) + INR n * (u * q * (dx * b + a * dy + g * (a * b)))).
    - apply Rplus_le_compat; [|apply Rle_trans with (1 := ID); exact P1].
      apply Rle_trans with (1 := IE). apply Rmult_le_compat; try assumption; try lra. apply nrm1_pos.
    - assert (K : u * q * (dx * b + a * dy + g * (a * b)) <= u * (q * ei) * (dx * b + a * dy + g * (a * b))).
      { replace (u * (q * ei) * (dx * b + a * dy + g * (a * b))) with (u * q * (dx * b + a * dy + g * (a * b)) * ei) by ring.
        rewrite <- (Rmult_1_r (u * q * (dx * b + a * dy + g * (a * b)))) at 1. apply Rmult_le_compat_l; [|exact I1].
        apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; assumption. }
      apply Rle_trans with (ifull bs * u * ei * (INR n * (q * (a * b))) + INR n * (u * (q * ei) * (dx * b + a * dy + g * (a *
        b)))).
      + apply Rplus_le_compat_l. apply Rmult_le_compat_l; [lra|exact K].
      + right. ring. }
  assert (Ts : md t' <= INR n * (q * ei * (a * b))).
  { apply Rle_trans with (1 := md_near t' t).
    apply Rle_trans with (ei * nrm1 n spectrum); [lra|].
    replace (INR n * (q * ei * (a * b))) with (ei * (INR n * (q * (a * b)))) by ring.
    apply Rmult_le_compat_l; lra. }
  (* the scale *)
  assert (Cz : z j = scaled c).
  { rewrite CV. unfold scaled; simpl. apply C_eq; simpl; field; lra. }
  apply Rle_trans with (1 := md_via (coefficient j) (scaled t') (z j)).
  assert (Dz : md (csub (scaled t') (z j)) = md (csub t' c) / INR n).
  { rewrite Cz. rewrite <- md_scaled by exact N. f_equal. unfold scaled, csub; simpl. apply C_eq; simpl; field; lra. }
  rewrite Dz.
  assert (Tn' : md (csub t' c) / INR n <= u * (q * ei) * (dx * b + a * dy + (g + ifull bs) * (a * b))).
  { apply Rmult_le_reg_l with (INR n); [exact NP|]. unfold Rdiv. rewrite <- Rmult_assoc, Rinv_r_simpl_m by lra. exact Tn. }
  assert (Ts' : md t' / INR n <= q * ei * (a * b)).
  { apply Rmult_le_reg_l with (INR n); [exact NP|]. unfold Rdiv. rewrite <- Rmult_assoc, Rinv_r_simpl_m by lra. exact Ts. }
  assert (T0 : 0 <= md t' / INR n) by (apply Rmult_le_pos; [apply md_pos|left; apply Rinv_0_lt_compat; exact NP]).
  assert (QE : 0 <= q * ei) by (apply Rmult_le_pos; lra).
  assert (SU : 0 <= s * u * es) by (apply Rmult_le_pos; [apply Rmult_le_pos; assumption|lra]).
  apply Rle_trans with (s * u * es * (q * ei * (a * b)) + es * (u * (q * ei) * (dx * b + a * dy + (g + ifull bs) * (a * b)))).
  - apply Rplus_le_compat.
    + apply Rle_trans with (1 := CN). apply Rmult_le_compat; try assumption; lra.
    + apply Rle_trans with (1 := Tn'). rewrite <- (Rmult_1_l (u * (q * ei) * _)) at 1. apply Rmult_le_compat_r; [|exact S1].
      apply Rmult_le_pos; [apply Rmult_le_pos; assumption|].
      repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; try assumption. lra.
  - right. unfold bound_terms, all. fold a b dx dy.
    replace ((2 * full fs + g + ifull bs + s) * u) with (full fs * u + full fs * u + g * u + ifull bs * u + s * u) by ring.
    rewrite !exp_plus. fold f eg ei es. unfold q. ring.
Qed.

(* The form that plan_bound.c evaluates. *)
Theorem convolution_bound : all * u < 1 -> forall j, (j < n)%nat ->
  md (csub (coefficient j) (z j)) <= u * bound_terms / (1 - all * u).
Proof.
  intros H j J. apply Rle_trans with (1 := convolution_error j J).
  assert (P : 0 <= bound_terms).
  { unfold bound_terms. pose proof (nrm_pos n x). pose proof (nrm_pos n y).
    assert (0 <= deviation fs ex (nrm n x)) by (apply (deviation_pos fs ex 1 x); assumption).
    assert (0 <= deviation fs ey (nrm n y)) by (apply (deviation_pos fs ey 1 y); assumption).
    assert (0 <= ifull bs) by (apply (ifull_pos bs 1 bs_ok)).
    repeat apply Rplus_le_le_0_compat; repeat apply Rmult_le_pos; try assumption; lra. }
  replace (u * exp (all * u) * bound_terms) with (u * bound_terms * exp (all * u)) by ring.
  unfold Rdiv. apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption|].
  pose proof (exp_above (- (all * u))) as E. pose proof (exp_pos (all * u)) as EP.
  assert (M : exp (- (all * u)) * exp (all * u) = 1) by (rewrite <- exp_plus; replace (- (all * u) + all * u) with 0 by ring;
    apply exp_0).
  apply Rmult_le_reg_l with (1 - all * u); [lra|]. rewrite Rinv_r by lra.
  rewrite <- M. apply Rmult_le_compat_r; lra.
Qed.

(* Section 8: the integer that both parts of a coefficient are rounded to, at most r away, is the right one. *)
Theorem rounded_right : forall (e r : R), (forall j, (j < n)%nat -> md (csub (coefficient j) (z j)) <= e) -> e + r < 1 ->
  forall j, (j < n)%nat -> forall k m : Z,
  (re (z j) = IZR m -> Rabs (re (coefficient j) - IZR k) <= r -> k = m) /\
  (im (z j) = IZR m -> Rabs (im (coefficient j) - IZR k) <= r -> k = m).
Proof.
  intros e r E ER j J k m. specialize (E j J).
  assert (P : Rabs (re (coefficient j) - re (z j)) <= e /\ Rabs (im (coefficient j) - im (z j)) <= e).
  { split; apply Rle_trans with (2 := E).
    - apply (re_md (csub (coefficient j) (z j))).
    - apply (im_md (csub (coefficient j) (z j))). }
  destruct P as [PR PI].
  split; intros Z K; rewrite Z in *; apply eq_IZR; destruct (Z.eq_dec k m) as [->|D]; try reflexivity; exfalso;
    assert (1 <= Rabs (IZR k - IZR m)) by (rewrite <- minus_IZR, <- abs_IZR; apply IZR_le; lia);
    revert H PR PI K; unfold Rabs; repeat destruct Rcase_abs; lra.
Qed.

End Bound.
End Convolution.
