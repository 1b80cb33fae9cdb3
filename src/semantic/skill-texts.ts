import { createHash } from 'node:crypto';
import { readWords, splitFrontMatter } from '../core/index.js';

/** What the vector of a skill is made of. */
export interface TextsOfSkill {
  readonly name: string;
  readonly description: string;
  readonly properties: { readonly frontMatter?: Readonly<Record<string, unknown>> };
  readonly files: readonly { readonly filename: string; readonly text: string }[];
}

/** Characters of a file, and of it behind its front matter, that are looked at. */
const LONGEST_FILE = 65_536;
const LOOKED_AT = 8000;

/** Characters of the second text: some 70 tokens. */
const LONGEST_USE = 280;

/** A description of fewer words says too little alone, and a second text of fewer words nothing. */
const WORDS_THAT_SAY_ENOUGH = 14;
const FEWEST_WORDS = 4;

/** Keys of front matter that say what a skill is asked for. */
const USE_KEYS = /^(when[-_]to[-_]use|triggers?|representative[-_]?queries)$/i;

/** Headings of sections that do, not "When not to use". The title of a file speaks of other triggers. */
const USE_HEADING =
  /\bwhen (should|to) (you )?(use|apply|activate|invoke)|(?<!\b(not|never) (to )?|n['’]t )\buse (this|when)\b|^##.*\b(use cases?|triggers?|activation|example (prompts|requests|queries))\b|使用场景|适用场景|使用場景|何时使用|什么时候使用|触发|使う(とき|場面)|사용 (시점|시기)|когда использовать|cu[aá]ndo usar|quand (l')?utiliser|quando usar/i;

/**
 * The first text of a skill that is embedded: its name and description.
 *
 * The full stop is worth one to three points of nDCG@10 by vector against a space (bench/README.md).
 */
export function embeddedText(name: string, description: string): string {
  return `${name}. ${description}`;
}

/**
 * The texts of a skill that are embedded: one or two. The second has what its author says about when to use it, or
 * where the description is short how `SKILL.md` begins. The vector of the skill is their mean.
 *
 * Stored vectors were made of these texts, so a change here needs a new format of the catalogue.
 */
export function textsToEmbed({ name, description, properties, files }: TextsOfSkill): readonly string[] {
  const first = embeddedText(name, description);
  const file = files.find(({ filename }) => filename.toLowerCase() === 'skill.md')?.text.slice(0, LONGEST_FILE) ?? '';
  const body = splitFrontMatter(file)
    .body.slice(0, LOOKED_AT)
    .replace(/\r\n?/g, '\n')
    .replace(/^ {0,3}(```|~~~).*?(^ {0,3}\1|$(?![\s\S]))/gms, ' ');
  const use = plainText(`${givenUse(properties.frontMatter)} ${sectionOfUse(body)}`);
  if (hasWords(use, FEWEST_WORDS)) return [first, embeddedText(name, use)];
  if (hasWords(description, WORDS_THAT_SAY_ENOUGH)) return [first];
  const beginning = plainText(body);
  const saysMore = hasWords(beginning, FEWEST_WORDS) && beginning !== plainText(description);
  return saysMore ? [first, embeddedText(name, beginning)] : [first];
}

/** The key that a vector is stored under: the first 16 bytes of the SHA-256 of its texts. No text has a NUL. */
export function hashTexts(texts: readonly string[]): Buffer {
  return createHash('sha256').update(texts.join('\0')).digest().subarray(0, 16);
}

/** The mean of vectors, at unit length. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const [first, ...others] = vectors as readonly [Float32Array, ...Float32Array[]];
  if (others.length === 0) return first;
  const sum = first.map((value, i) => others.reduce((all, other) => all + other[i]!, value));
  const norm = Math.sqrt(sum.reduce((all, value) => all + value * value, 0));
  // Texts that say the opposite of each other: no model finds that.
  return norm < 1e-6 ? first : sum.map((value) => value / norm);
}

function givenUse(frontMatter: Readonly<Record<string, unknown>> | undefined): string {
  const values = Object.entries(frontMatter ?? {}).filter(([key]) => USE_KEYS.test(key));
  const texts = values.flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]));
  return texts.filter((text) => typeof text === 'string').join('. ');
}

function sectionOfUse(body: string): string {
  for (const heading of body.matchAll(/^(#{1,6})[ \t].*$/gm)) {
    if (!USE_HEADING.test(heading[0])) continue;
    const rest = body.slice(heading.index + heading[0].length);
    const end = rest.search(new RegExp(`^#{1,${heading[1]!.length}}[ \\t]`, 'm'));
    const section = end === -1 ? rest : rest.slice(0, end);
    if (hasWords(plainText(section), FEWEST_WORDS)) return section;
  }
  return '';
}

/** A beginning of Markdown without its marks, cut at a code point. */
function plainText(markdown: string): string {
  const plain = markdown
    .replace(/[*`>#|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.slice(0, LONGEST_USE).toWellFormed().replace(/�$/, '');
}

function hasWords(text: string, count: number): boolean {
  return readWords(text.slice(0, 1000)).length >= count;
}
