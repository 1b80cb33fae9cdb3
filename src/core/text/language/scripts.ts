/**
 * Blocks of letters that show a language by themselves, as ranges of code points, with the language that is mostly
 * written in them (ISO 639-1). `han` and `kana` are told apart later.
 */
const BLOCKS: readonly (readonly [from: number, to: number, language: string])[] = [
  [0x370, 0x3ff, 'el'],
  [0x400, 0x52f, 'ru'],
  [0x531, 0x58f, 'hy'],
  [0x590, 0x5ff, 'he'],
  [0x600, 0x77f, 'ar'],
  [0x8a0, 0x8ff, 'ar'],
  [0x900, 0x97f, 'hi'],
  [0x980, 0x9ff, 'bn'],
  [0xa00, 0xa7f, 'pa'],
  [0xa80, 0xaff, 'gu'],
  [0xb80, 0xbff, 'ta'],
  [0xc00, 0xc7f, 'te'],
  [0xc80, 0xcff, 'kn'],
  [0xd00, 0xd7f, 'ml'],
  [0xe00, 0xe7f, 'th'],
  [0xe80, 0xeff, 'lo'],
  [0x1000, 0x109f, 'my'],
  [0x10a0, 0x10ff, 'ka'],
  [0x1100, 0x11ff, 'ko'],
  [0x1780, 0x17ff, 'km'],
  [0x1f00, 0x1fff, 'el'],
  [0x3040, 0x30ff, 'ja'],
  [0x3400, 0x9fff, 'zh'],
  [0xac00, 0xd7af, 'ko'],
  [0xf900, 0xfaff, 'zh'],
  [0x20000, 0x323af, 'zh'],
];

/** The language that is mostly written in the script of a letter; undefined for Latin letters and all others. */
export function languageOfLetter(codePoint: number): string | undefined {
  if (codePoint < BLOCKS[0]![0]) return undefined;
  for (const [from, to, language] of BLOCKS) if (codePoint >= from && codePoint <= to) return language;
  return undefined;
}
