import { readTraditionalCharacters } from './traditional-characters.js';

const [FIRST, LAST] = [0x4e00, 0x9fff];
const HAN = /[\u4e00-\u9fff]/;

/** The simplified form of each character from {@link FIRST} on; made when the first Han character is read. */
let simplifiedForms: Uint16Array | undefined;

function makeForms(): Uint16Array {
  const forms = Uint16Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + i);
  const pairs = readTraditionalCharacters();
  for (let i = 0; i < pairs.length; i += 2) forms[pairs.charCodeAt(i) - FIRST] = pairs.charCodeAt(i + 1);
  return forms;
}

/**
 * A text with simplified Chinese characters instead of traditional ones, character by character: 記憶 becomes 记忆.
 * Where one simplified character is used for several traditional ones, these become equal.
 */
export function simplify(text: string): string {
  if (!HAN.test(text)) return text;
  simplifiedForms ??= makeForms();
  let simplified = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    simplified += String.fromCharCode(unit >= FIRST && unit <= LAST ? simplifiedForms[unit - FIRST]! : unit);
  }
  return simplified;
}
