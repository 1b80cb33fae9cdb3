import { TRADITIONAL_CHARACTERS } from './traditional-characters.js';

const [FIRST, LAST] = [0x4e00, 0x9fff];
const HAN = /[\u4e00-\u9fff]/;

/** By character from {@link FIRST} on its simplified form; made when the first Han character is met. */
let forms: Uint16Array | undefined;

function makeForms(): Uint16Array {
  const table = Uint16Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + i);
  const pairs = TRADITIONAL_CHARACTERS.replace(/\s/g, '');
  for (let i = 0; i < pairs.length; i += 2) table[pairs.charCodeAt(i) - FIRST] = pairs.charCodeAt(i + 1);
  return table;
}

/**
 * A text with simplified Chinese characters for traditional ones, character by character: 記憶 becomes 记忆. Where a
 * simplified character stands for several traditional ones, these become equal.
 */
export function simplify(text: string): string {
  if (!HAN.test(text)) return text;
  forms ??= makeForms();
  let simplified = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    simplified += String.fromCharCode(unit >= FIRST && unit <= LAST ? forms[unit - FIRST]! : unit);
  }
  return simplified;
}
