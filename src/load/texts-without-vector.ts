import { embeddedText } from '../semantic/index.js';
import { openForReading, VectorStatements } from '../store/index.js';

/**
 * The texts that a load with this model would embed: each once. Writes nothing.
 *
 * @param database path of a catalogue, resolved
 * @param model id of the model
 * @param most texts that are wanted
 * @returns undefined if there are more
 * @throws {SkillSearchError} those of opening a catalogue
 */
export function textsWithoutVector(database: string, model: string, most: number): string[] | undefined {
  const connection = openForReading(database);
  try {
    const statements = new VectorStatements(connection);
    const missing = statements.missing(model);
    if (missing.length > most) return undefined;
    return missing.map((skill) => {
      const { name, description } = statements.text(skill);
      return embeddedText(name, description);
    });
  } finally {
    connection.close();
  }
}
