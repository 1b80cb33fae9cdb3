/** A part of a text. */
export interface TextPart {
  readonly text: string;
  /** Where it begins and ends in the whole, its marks included. */
  readonly begin: number;
  readonly end: number;
}

/**
 * Quotation marks of many languages. A straight mark opens after no letter or digit of Latin script and closes before
 * none, so that inches, feet and apostrophes are no marks.
 */
const QUOTED = [
  /(?<![\w])"([^"\n]{2,160})"(?![\w])/gu,
  /(?<![\p{L}\p{N}])'([\p{L}\p{N}][^'\n]{2,158})'(?![\p{L}\p{N}])/gu,
  /“([^“”\n]{2,160})”/gu,
  /‘([^‘’\n]{2,160})’/gu,
  /„([^„“”\n]{2,160})[“”]/gu,
  /«\s?([^«»\n]{2,160}?)\s?»/gu,
  /「([^「」\n]{2,160})」/gu,
  /『([^『』\n]{2,160})』/gu,
];

/** The phrases in quotation marks, in the order of the text. Of nested ones only the outer. */
export function quotedPhrases(text: string): TextPart[] {
  const found: TextPart[] = [];
  for (const marks of QUOTED) {
    for (const match of text.matchAll(marks)) {
      const [whole, inner = ''] = match;
      const words = inner.trim().replace(/[,，、.。…]+$/u, '');
      // A pair that begins or ends with punctuation is the gap between two phrases.
      if (!/^[\p{L}\p{N}¿¡/@#]/u.test(words) || !/[\p{L}\p{N}?？!！+#)）]$/u.test(words)) continue;
      found.push({ text: words, begin: match.index, end: match.index + whole.length });
    }
  }
  found.sort((a, b) => a.begin - b.begin || b.end - a.end);
  return found.filter((part, i) => i === 0 || part.begin >= found[i - 1]!.end);
}
