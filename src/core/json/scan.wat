;; Reads text 16 bytes at a time. `scan-program.ts` holds this program as bytes; `bun test wasm` compares the two, and
;; UPDATE_WASM=1 writes them again. The text stands at 0, with 32 bytes to spare behind it, whose content has no effect.
;; From 262,208 on stand the places of the first 1,024 marks: colons, commas and the end of an outermost object.
(module
  (memory (export "memory") 5)

  ;; What is known of the JSON so far. It goes on in the next piece of the text.
  (global $depth (mut i32) (i32.const 0))
  (global $deepest (export "deepest") (mut i32) (i32.const 0))
  (global $elements (export "elements") (mut i32) (i32.const 0))
  (global $mostDepth (mut i32) (i32.const 0))
  (global $mostElements (mut i32) (i32.const 0))
  ;; 1 right after an opening bracket, before the first element.
  (global $isFirst (mut i32) (i32.const 0))
  (global $inString (mut i32) (i32.const 0))
  ;; 1 if the last piece ended with a backslash, within a string.
  (global $isEscaped (mut i32) (i32.const 0))
  ;; 1 if a string may have the escape of a surrogate.
  (global $hasSurrogate (export "hasSurrogate") (mut i32) (i32.const 0))
  ;; 1 if a number has an exponent or more digits than a double surely holds.
  (global $hasOddNumber (export "hasOddNumber") (mut i32) (i32.const 0))
  (global $marks (export "marks") (mut i32) (i32.const 0))

  (func (export "begin") (param $mostDepth i32) (param $mostElements i32)
    (global.set $depth (i32.const 0))
    (global.set $deepest (i32.const 0))
    (global.set $elements (i32.const 0))
    (global.set $mostDepth (local.get $mostDepth))
    (global.set $mostElements (local.get $mostElements))
    (global.set $isFirst (i32.const 0))
    (global.set $inString (i32.const 0))
    (global.set $isEscaped (i32.const 0))
    (global.set $hasSurrogate (i32.const 0))
    (global.set $hasOddNumber (i32.const 0))
    (global.set $marks (i32.const 0)))

  ;; Notes a place of this piece. Those of a text in several pieces mean nothing.
  (func $mark (param $at i32)
    (if (i32.lt_s (global.get $marks) (i32.const 1024))
      (then
        (i32.store offset=262208 (i32.shl (global.get $marks) (i32.const 2)) (local.get $at))
        (global.set $marks (i32.add (global.get $marks) (i32.const 1))))))

  ;; Measures the next piece of the JSON, up to the byte that exceeds what is allowed. Returns 1 if one does.
  (func (export "shape") (param $length i32) (result i32)
    (local $at i32) (local $byte i32) (local $found i32) (local $digits i32)
    (local $depth i32) (local $deepest i32) (local $elements i32) (local $isFirst i32) (local $inString i32)
    (local $text v128) (local $quotes v128) (local $backslashes v128)
    (local.set $depth (global.get $depth))
    (local.set $deepest (global.get $deepest))
    (local.set $elements (global.get $elements))
    (local.set $isFirst (global.get $isFirst))
    (local.set $inString (global.get $inString))
    (local.set $quotes (i8x16.splat (i32.const 0x22)))
    (local.set $backslashes (i8x16.splat (i32.const 0x5c)))
    (local.set $at (global.get $isEscaped))
    (global.set $isEscaped (i32.const 0))
    (block $end
      (loop $next
        (br_if $end (i32.gt_s (local.get $deepest) (global.get $mostDepth)))
        (br_if $end (i32.gt_s (local.get $elements) (global.get $mostElements)))
        (br_if $end (i32.ge_s (local.get $at) (local.get $length)))
        (if (local.get $inString)
          (then
            (block $special
              ;; In code, one escape often follows another.
              (br_if $special (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x5c)))
              (loop $search
                (local.set $text (v128.load (local.get $at)))
                (local.set $found
                  (i8x16.bitmask
                    (v128.or
                      (i8x16.eq (local.get $text) (local.get $quotes))
                      (i8x16.eq (local.get $text) (local.get $backslashes)))))
                (if (local.get $found)
                  (then
                    (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $found))))
                    (br_if $end (i32.ge_s (local.get $at) (local.get $length)))
                    (br $special)))
                (local.set $at (i32.add (local.get $at) (i32.const 16)))
                (br_if $search (i32.lt_s (local.get $at) (local.get $length)))
                (br $end)))
            (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x22))
              (then
                (local.set $inString (i32.const 0))
                (local.set $at (i32.add (local.get $at) (i32.const 1))))
              (else
                ;; `\ud` or `\uD`. What the next piece begins with isn't known here.
                (if
                  (i32.or
                    (i32.ge_s (i32.add (local.get $at) (i32.const 2)) (local.get $length))
                    (i32.eq
                      (i32.and (i32.load16_u offset=1 (local.get $at)) (i32.const 0xdfff))
                      (i32.const 0x4475)))
                  (then (global.set $hasSurrogate (i32.const 1))))
                (local.set $at (i32.add (local.get $at) (i32.const 2)))
                (if (i32.gt_s (local.get $at) (local.get $length))
                  (then (global.set $isEscaped (i32.const 1))))))
            (br $next)))
        (local.set $byte (i32.load8_u (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (i32.le_u (local.get $byte) (i32.const 0x20)))
        ;; `[` and `{` differ in one bit, as do `]` and `}`.
        (if (i32.eq (i32.and (local.get $byte) (i32.const 0xdf)) (i32.const 0x5d))
          (then
            (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
            (local.set $isFirst (i32.const 0))
            (if (i32.eq (local.get $depth) (i32.const 0))
              (then (call $mark (i32.sub (local.get $at) (i32.const 1)))))
            (br $next)))
        (local.set $elements
          (i32.add
            (local.get $elements)
            (i32.or (local.get $isFirst) (i32.eq (local.get $byte) (i32.const 0x2c)))))
        (local.set $isFirst
          (i32.eq (i32.and (local.get $byte) (i32.const 0xdf)) (i32.const 0x5b)))
        (if (local.get $isFirst)
          (then
            (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
            (if (i32.gt_s (local.get $depth) (local.get $deepest))
              (then (local.set $deepest (local.get $depth)))))
          (else (local.set $inString (i32.eq (local.get $byte) (i32.const 0x22)))))
        (if (i32.eq (local.get $depth) (i32.const 1))
          (then
            (if
              (i32.or
                (i32.eq (local.get $byte) (i32.const 0x3a))
                (i32.eq (local.get $byte) (i32.const 0x2c)))
              (then (call $mark (i32.sub (local.get $at) (i32.const 1)))))))
        ;; Digits and the point between them.
        (if (i32.le_u (i32.sub (local.get $byte) (i32.const 0x2e)) (i32.const 11))
          (then
            (local.set $digits (i32.add (local.get $digits) (i32.const 1)))
            (if (i32.gt_s (local.get $digits) (i32.const 15))
              (then (global.set $hasOddNumber (i32.const 1)))))
          (else
            (if
              (i32.and
                (i32.eq (i32.and (local.get $byte) (i32.const 0xdf)) (i32.const 0x45))
                (i32.gt_s (local.get $digits) (i32.const 0)))
              (then (global.set $hasOddNumber (i32.const 1))))
            (local.set $digits (i32.const 0))))
        (br $next)))
    (global.set $depth (local.get $depth))
    (global.set $deepest (local.get $deepest))
    (global.set $elements (local.get $elements))
    (global.set $isFirst (local.get $isFirst))
    (global.set $inString (local.get $inString))
    (i32.or
      (i32.gt_s (local.get $deepest) (global.get $mostDepth))
      (i32.gt_s (local.get $elements) (global.get $mostElements))))

  ;; Counts digits, and 3 for each letter from U+0F00 to U+1DFF: E0 BC to E1 B7 in UTF-8. Clears the bytes behind.
  (func (export "dense") (param $length i32) (result i32)
    (local $at i32) (local $count i32)
    (local $text v128) (local $second v128) (local $zeros v128) (local $tens v128)
    (local $e0 v128) (local $bc v128) (local $e1 v128) (local $b7 v128)
    (local.set $zeros (i8x16.splat (i32.const 0x30)))
    (local.set $tens (i8x16.splat (i32.const 10)))
    (local.set $e0 (i8x16.splat (i32.const 0xe0)))
    (local.set $bc (i8x16.splat (i32.const 0xbc)))
    (local.set $e1 (i8x16.splat (i32.const 0xe1)))
    (local.set $b7 (i8x16.splat (i32.const 0xb7)))
    (v128.store (local.get $length) (i8x16.splat (i32.const 0)))
    (v128.store offset=16 (local.get $length) (i8x16.splat (i32.const 0)))
    (block $end
      (loop $next
        (br_if $end (i32.ge_s (local.get $at) (local.get $length)))
        (local.set $text (v128.load (local.get $at)))
        (local.set $count
          (i32.add
            (local.get $count)
            (i32.popcnt
              (i8x16.bitmask
                (i8x16.lt_u (i8x16.sub (local.get $text) (local.get $zeros)) (local.get $tens))))))
        ;; Only if one of the bytes isn't ASCII.
        (if (i8x16.bitmask (local.get $text))
          (then
            (local.set $second (v128.load offset=1 (local.get $at)))
            (local.set $count
              (i32.add
                (local.get $count)
                (i32.mul
                  (i32.const 3)
                  (i32.popcnt
                    (i8x16.bitmask
                      (v128.or
                        (v128.and
                          (i8x16.eq (local.get $text) (local.get $e0))
                          (i8x16.ge_u (local.get $second) (local.get $bc)))
                        (v128.and
                          (i8x16.eq (local.get $text) (local.get $e1))
                          (i8x16.le_u (local.get $second) (local.get $b7)))))))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $next)))
    (local.get $count)))
