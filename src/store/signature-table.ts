import { type ComparedText, SIGNATURE_RULES, signatureOf } from '../copies/text-signature.js';
import type { SkillNumber } from '../numbers.js';
import type { Connection, Statement } from '../sqlite/connection.js';
import { readMeta, writeMeta } from './meta.js';
import type { SkillToStore } from './stored-skill.js';

/** Key in `meta` of the rules by which the signatures were made. */
const RULES_KEY = 'signature_rules';

/** The words of a text depend on the version of Unicode of the runtime, too. */
const RULES = `${SIGNATURE_RULES} ${process.versions['unicode']}`;

/** Whether every skill of a catalogue has a signature, made by the present rules. */
export function areAllSigned(catalogue: Connection): boolean {
  if (readMeta(catalogue, RULES_KEY) !== RULES) return false;
  const all = 'SELECT (SELECT count(*) FROM skill) = (SELECT count(*) FROM text_signature)';
  return catalogue.prepare<[], number>(all).pluck().get() === 1;
}

/** Writes signatures into a catalogue. Triggers delete the signature of a skill that changes or is deleted. */
export class SignatureWriter {
  readonly #catalogue: Connection;
  readonly #insert: Statement<SignatureRow, unknown>;

  /** Deletes signatures made by other rules. */
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
  sign(skill: SkillNumber, compared: ComparedText): void {
    const { name, text, words, sketch } = signatureOf(compared);
    this.#insert.run(skill, name, text, words, sketch);
  }

  /** Signs every stored skill that has no signature. */
  signAll(): void {
    const missing = this.#catalogue
      .prepare<[], SkillNumber>(
        'SELECT number FROM skill WHERE NOT EXISTS (SELECT 1 FROM text_signature WHERE skill = skill.number)',
      )
      .pluck();
    const texts = this.#catalogue.prepare<[SkillNumber], ComparedText>(`
      SELECT record ->> 'name' AS name, record ->> 'description' AS description,
        (SELECT text FROM file WHERE skill = number ORDER BY lower(filename) <> 'skill.md', position LIMIT 1) AS text
      FROM skill WHERE number = ?`);
    for (const skill of missing.all()) this.sign(skill, texts.get(skill)!);
  }
}

/** The text by which a skill is compared with others, before it is stored. */
export function comparedText({ skill, files }: SkillToStore): ComparedText {
  const file = files.find(({ filename }) => /^skill\.md$/i.test(filename)) ?? files[0];
  return { name: skill.name, description: skill.description, text: file?.text ?? skill.description };
}

/** The stored signature of a skill. */
type SignatureRow = [skill: SkillNumber, name: number, text: number, words: number, sketch: Uint8Array];

/** The signatures of a catalogue, by skill. Empty if other rules made them. */
export function readSignatures(catalogue: Connection): Iterable<SignatureRow> {
  // Made with another version of Unicode, they can still be compared with each other.
  if (readMeta(catalogue, RULES_KEY)?.split(' ')[0] !== String(SIGNATURE_RULES)) return [];
  return catalogue
    .prepare<[], SignatureRow>('SELECT skill, name, text, words, sketch FROM text_signature')
    .raw()
    .iterate();
}
