/**
 * What nobody sees: all that Unicode lets a display ignore (zero widths, joiners, bidirectional controls, variation
 * selectors, tags, fillers, the soft hyphen), the blank of Braille, and what no XML may hold.
 */
const INVISIBLE = String.raw`\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\ufffe\uffff`;

/** Scripts whose letters take another form, or another meaning, at a joiner behind them. */
const JOINED = ['Arab', 'Syrc', 'Nkoo', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml']
  .concat('Telu', 'Knda', 'Mlym', 'Sinh', 'Tibt', 'Mymr', 'Khmr')
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('');

/** Invisible characters that belong to what is seen, one at a time: so no row of them can carry a message. */
const SEEN = [
  // The colours or lines of an emoji, and a digit in a key.
  String.raw`(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)[\ufe0e\ufe0f]`,
  String.raw`(?<=[#*0-9])\ufe0f(?=\u20e3)`,
  // Two emoji in one.
  String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=(?!\p{Default_Ignorable_Code_Point})[${JOINED}])[\u200c\u200d]`,
].join('|');

const HIDDEN = new RegExp(`(?!${SEEN})[${INVISIBLE}]`, 'gu');
/** Most texts have nothing to clean but blanks at their ends. */
const PLAIN = /^[!-~]*(?: [!-~]+)*$/;

/**
 * A text that another party wrote, in one line and without what acts on the text around it, or hides from people:
 * control characters, ends of lines, bidirectional controls, invisible characters. Joiners stay where emoji and scripts
 * need them.
 */
export function cleanLine(text: string): string {
  if (PLAIN.test(text)) return text;
  // Halves of pairs first: two of them would become a character when what is between them goes.
  return text
    .replace(/\p{Cs}/gu, ' ')
    .replace(HIDDEN, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}
