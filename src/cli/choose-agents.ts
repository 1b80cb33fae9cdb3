import { oneLine } from './terminal-text.js';

/**
 * Asks which agents' changes to write, until the answer can be understood.
 *
 * @param ask puts the question and gives the answer; empty if there is none
 * @param tell says what is wrong with an answer
 * @returns undefined to write nothing
 */
export async function chooseAgents(
  agents: readonly string[],
  ask: (question: string) => Promise<string>,
  tell: (line: string) => void,
): Promise<readonly string[] | undefined> {
  for (;;) {
    const answer = (await ask('Write this? [y]es, [n]o, or names of agents: ')).trim();
    if (/^y(es)?$/i.test(answer)) return agents;
    if (answer === '' || /^no?$/i.test(answer)) return undefined;
    const names = [...new Set(answer.split(/[\s,]+/).filter((name) => name !== ''))];
    const unknown = names.find((name) => !agents.includes(name));
    if (unknown === undefined && names.length > 0) return names;
    tell(`${oneLine(unknown ?? answer)} is none of ${agents.join(', ')}.`);
  }
}
