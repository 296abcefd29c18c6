(* integers.v - the difference of two products in words of 64 bits: prime_field.h without a fused multiply-add.

   SPDX-License-Identifier: LGPL-3.0-or-later *)
Require Import ZArith Lia.
Open Scope Z_scope.

Definition word (x : Z) := x mod 2 ^ 64.
Definition signed (x : Z) := if x <? 2 ^ 63 then x else x - 2 ^ 64.

(* Products and the difference are taken of words, and the result is read as a signed number. *)
Theorem difference_exact : forall x w q p, - 2 ^ 63 <= x * w - q * p < 2 ^ 63 ->
  signed (word (word (word x * word w) - word (word q * word p))) = x * w - q * p.
Proof.
  intros x w q p H. unfold word.
  rewrite <- !Zmult_mod, <- Zminus_mod.
  set (d := x * w - q * p) in *. unfold signed.
  destruct (Z_lt_le_dec d 0) as [N|P].
  - replace (d mod 2 ^ 64) with (d + 2 ^ 64).
    + replace (d + 2 ^ 64 <? 2 ^ 63) with false; [lia|]. symmetry. apply Z.ltb_ge. lia.
    + apply Z.mod_unique with (-1); lia.
  - rewrite Z.mod_small by lia. replace (d <? 2 ^ 63) with true; [reflexivity|]. symmetry. apply Z.ltb_lt. lia.
Qed.
