import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from './ask.js';
import { ClusterServer } from './cluster-server.js';
import { freePorts } from './free-ports.js';
import {
  type baseRows,
  type ClusterQuestion,
  ExpectedAnswer,
  generationRows,
  lastingPart,
  writeRows,
} from './generations.js';
import { type Command, Part } from './part.js';

/** What each question is answered with by a server over a catalogue in a file, which knows nothing of PostgreSQL. */
export async function expectedAnswers(
  questions: readonly ClusterQuestion[],
  base: ReturnType<typeof baseRows>,
  { command, folder }: { readonly command: Command; readonly folder: string },
): Promise<ReadonlyMap<string, ExpectedAnswer>> {
  const home = join(folder, 'expected');
  mkdirSync(home);
  const [source, database] = [join(home, 'all.jsonl'), join(home, 'skills.db')];
  writeRows(source, [...base, ...generationRows(0, base)]);
  const load = new Part(command, ['load', source, '--database', database, '--no-semantic'], join(home, 'load.log'));
  if ((await load.ended) !== 0) throw new Error(`the catalogue to compare with cannot be loaded:\n${load.lastLines()}`);
  const [port] = await freePorts(1);
  const words = [
    '--database',
    database,
    '--anonymous-daily',
    '0',
    '--anonymous-per-minute',
    '0',
    '--requests-per-second',
    '0',
  ];
  const server = new ClusterServer({ name: 'server to compare with', command, port: port!, words, folder: home });
  try {
    await server.untilHealthy();
    const connection = new Connection();
    const byWords = questions.filter(({ kind }) => kind === 'words');
    const answers = new Map<string, ExpectedAnswer>();
    for (const { path } of byWords) {
      const { status, body } = await connection.ask(server.port, path, {}, 20_000);
      if (status !== 200) throw new Error(`${status} for ${path}: ${body}`);
      answers.set(path, new ExpectedAnswer(lastingPart(body)));
    }
    connection.close();
    if (![...answers.values()].some(({ isMarked }) => isMarked)) throw new Error('no question finds a marked skill');
    return answers;
  } finally {
    await server.stop();
  }
}
