import { type ComparedText, SIGNATURE_RULES, signatureOf } from '../copies/text-signature.js';
import type { Connection, Statement } from '../sqlite/connection.js';
import { readMeta, writeMeta } from './meta.js';
import type { SkillToStore } from './stored-skill.js';

/** Where the rules that signatures were made by are noted in `meta`. */
const RULES_KEY = 'signature_rules';

/** Which words are in a text depends on the tables of characters of the runtime, too. */
const RULES = `${SIGNATURE_RULES} ${process.versions['unicode']}`;

/** Whether every skill of a catalogue has a signature by the present rules. */
export function areAllSigned(catalogue: Connection): boolean {
  if (readMeta(catalogue, RULES_KEY) !== RULES) return false;
  const all = 'SELECT (SELECT count(*) FROM skill) = (SELECT count(*) FROM text_signature)';
  return catalogue.prepare<[], number>(all).pluck().get() === 1;
}

/** Writes signatures into a catalogue. Skills that change, and skills that go, lose theirs by triggers. */
export class SignatureWriter {
  readonly #catalogue: Connection;
  readonly #insert: Statement<[skill: number, name: number, text: number, words: number, sketch: Uint8Array], unknown>;

  /** Those that other rules made are deleted. */
  constructor(catalogue: Connection) {
    this.#catalogue = catalogue;
    if (readMeta(catalogue, RULES_KEY) !== RULES) {
      catalogue.exec('DELETE FROM text_signature');
      writeMeta(catalogue, RULES_KEY, RULES);
    }
    this.#insert = catalogue.prepare(
      'INSERT INTO text_signature (skill, name, text, words, sketch) VALUES (?, ?, ?, ?, ?)',
    );
  }

  /** Signs a skill that has no signature. */
  sign(skill: number, compared: ComparedText): void {
    const { name, text, words, sketch } = signatureOf(compared);
    this.#insert.run(skill, name, text, words, sketch);
  }

  /** Makes the signatures that are missing, from what is stored. */
  signAll(): void {
    const missing = this.#catalogue
      .prepare<[], number>(
        'SELECT number FROM skill WHERE NOT EXISTS (SELECT 1 FROM text_signature WHERE skill = skill.number)',
      )
      .pluck();
    const texts = this.#catalogue.prepare<[number], ComparedText>(`
      SELECT record ->> 'name' AS name, record ->> 'description' AS description,
        (SELECT text FROM file WHERE skill = number ORDER BY lower(filename) <> 'skill.md', position LIMIT 1) AS text
      FROM skill WHERE number = ?`);
    for (const skill of missing.all()) this.sign(skill, texts.get(skill) as ComparedText);
  }
}

/** What a skill on its way into the store is compared by. */
export function comparedText({ skill, files }: SkillToStore): ComparedText {
  const file = files.find(({ filename }) => /^skill\.md$/i.test(filename)) ?? files[0];
  return { name: skill.name, description: skill.description, text: file?.text ?? skill.description };
}

/** What is stored of a skill's signature. */
type SignatureRow = [skill: number, name: number, text: number, words: number, sketch: Uint8Array];

/** The signatures of a catalogue, by skill; none where there are none, or other rules made them. */
export function readSignatures(catalogue: Connection): Iterable<SignatureRow> {
  // Those made with other tables of characters can be compared with each other all the same.
  if (readMeta(catalogue, RULES_KEY)?.split(' ')[0] !== String(SIGNATURE_RULES)) return [];
  return catalogue
    .prepare<[], SignatureRow>('SELECT skill, name, text, words, sketch FROM text_signature')
    .raw()
    .iterate();
}
