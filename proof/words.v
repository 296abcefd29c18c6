(* words.v - products with a constant modulo a prime of 50 to 62 bits: prime_word_avx512.h and prime_word_avx2.h.

   SPDX-License-Identifier: LGPL-3.0-or-later *)
Require Import ZArith Lia.
Open Scope Z_scope.

Definition N := 2 ^ 52.

Lemma floor_range : forall a b, 0 < b -> b * (a / b) <= a < b * (a / b) + b.
Proof.
  intros a b H. pose proof (Z.div_mod a b ltac:(lia)). pose proof (Z.mod_pos_bound a b H). lia.
Qed.

(* The number x = N x1 + x0 times w; q and s as in tables, s less by e for products of points. *)
Theorem product_range : forall p w x0 x1 e, 0 < p -> 0 <= w < p -> 0 <= x0 < N -> 0 <= x1 < 2 ^ 12 -> 0 <= e <= 6 ->
  let q := N * w / p in
  let s := N * (N * w - q * p) / p - e in
  0 <= s ->
  let Q := x1 * q + x0 * q / N + x1 * s / N in
  0 <= (N * x1 + x0) * w - Q * p /\ N * ((N * x1 + x0) * w - Q * p) < (3 * N + 8 * 2 ^ 12) * p.
Proof.
  intros p w x0 x1 e Hp Hw H0 H1 He q s Hs Q.
  assert (HN : 0 < N) by (unfold N; lia).
  pose proof (floor_range (N * w) p Hp) as Fq. fold q in Fq.
  set (v := N * w - q * p) in *.
  assert (Hv : 0 <= v < p) by (unfold v; nia).
  pose proof (floor_range (N * v) p Hp) as Fs.
  set (t := N * v / p) in *.
  assert (Es : s = t - e) by reflexivity.
  pose proof (floor_range (x0 * q) N HN) as Fa. set (a := x0 * q / N) in *.
  pose proof (floor_range (x1 * s) N HN) as Fb. set (b := x1 * s / N) in *.
  (* N times the rest: x1 (N v - s p) + (x1 s - N b) p + x0 v + (x0 q - N a) p *)
  assert (E : N * ((N * x1 + x0) * w - Q * p) =
              x1 * (N * v - s * p) + (x1 * s - N * b) * p + x0 * v + (x0 * q - N * a) * p).
  { unfold Q. assert (N * w = q * p + v) by (unfold v; lia).
    replace (N * ((N * x1 + x0) * w - (x1 * q + a + b) * p)) with
      ((N * x1 + x0) * (N * w) - N * (x1 * q + a + b) * p) by ring.
    rewrite H. ring. }
  assert (A1 : 0 <= N * v - s * p <= 7 * p) by nia.
  assert (A2 : 0 <= x1 * (N * v - s * p) <= 2 ^ 12 * (7 * p)) by nia.
  assert (A3 : 0 <= (x1 * s - N * b) * p <= N * p) by nia.
  assert (A4 : 0 <= x0 * v <= N * p) by nia.
  assert (A5 : 0 <= (x0 * q - N * a) * p <= N * p) by nia.
  split.
  - assert (0 <= N * ((N * x1 + x0) * w - Q * p)) by lia. nia.
  - rewrite E. nia.
Qed.

Lemma product_within : forall a b A B, - A <= a <= A -> - B <= b <= B -> - (A * B) <= a * b <= A * B.
Proof. intros. nia. Qed.

(* Halves with signs: prime_word_avx2.h. *)
Definition H := 2 ^ 31.

Theorem halves_range : forall p u v g h x1 x0, 0 < p ->
  2 * Z.abs (2 * H * u - g * p) < p -> 2 * Z.abs (2 * H * v - h * p) < p ->
  - H <= g < H -> - H <= h < H -> - H <= x1 < H -> - H <= x0 < H -> (x1 = - H -> - H + 2 <= x0) ->
  let sum := x1 * h + x0 * g in
  let Q := (sum + H - 1) / (2 * H) in
  - 2 ^ 63 <= sum /\ sum + H - 1 < 2 ^ 63 /\ - H <= Q < H /\ - p < x1 * v + x0 * u - Q * p < p.
Proof.
  intros p u v g h x1 x0 Hp Hu Hv Hg Hh H1 H0 Hc sum Q.
  assert (Two : 2 ^ 63 = 2 * H * H) by reflexivity.
  assert (HH : 2 < H) by (unfold H; lia).
  rewrite Two. clear Two. set (c := H) in *. clearbody c.
  pose proof (product_within x1 h c c ltac:(lia) ltac:(lia)) as X1.
  pose proof (product_within x0 g c c ltac:(lia) ltac:(lia)) as X0.
  assert (Low : - (2 * c * c) <= sum) by (unfold sum; lia).
  assert (High : sum + c - 1 < 2 * c * c).
  { unfold sum. destruct (Z.eq_dec x1 (- c)) as [E|E].
    - specialize (Hc E). pose proof (product_within x0 g (c - 1) c).
      assert (x0 * g <= c * c - c); [|lia].
      destruct (Z.eq_dec x0 (c - 1)) as [T|T].
      + subst x0. nia.
      + pose proof (product_within x0 g (c - 1) c ltac:(lia) ltac:(lia)). lia.
    - pose proof (product_within x1 h (c - 1) c ltac:(lia) ltac:(lia)). lia. }
  pose proof (floor_range (sum + c - 1) (2 * c) ltac:(lia)) as F. fold Q in F.
  split; [exact Low|]. split; [exact High|]. split; [nia|].
  set (d := 2 * c * u - g * p) in *. set (e := 2 * c * v - h * p) in *.
  assert (E : 2 * c * (x1 * v + x0 * u - Q * p) = x1 * e + x0 * d + (sum - 2 * c * Q) * p)
    by (unfold sum, d, e; ring).
  assert (D : - (p - 1) <= 2 * d <= p - 1) by lia.
  assert (D' : - (p - 1) <= 2 * e <= p - 1) by lia.
  pose proof (product_within x1 (2 * e) c (p - 1) ltac:(lia) ltac:(lia)) as B1.
  pose proof (product_within x0 (2 * d) c (p - 1) ltac:(lia) ltac:(lia)) as B2.
  pose proof (product_within (sum - 2 * c * Q) p c p ltac:(lia) ltac:(lia)) as B3.
  split; nia.
Qed.
