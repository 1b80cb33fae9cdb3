// The peer of the embedding phase: one pipeline of the model runtime, called text by text. Prints texts a second as JSON.
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { env, pipeline } from '@huggingface/transformers';
import { BUNDLED_MODEL, openSkillSearch } from '../src/index.js';
import { embeddedText } from '../src/semantic/embedded-text.js';

process.env['ORT_DISABLE_TELEMETRY'] ??= '1';
env.allowRemoteModels = false;
env.localModelPath = `${dirname(BUNDLED_MODEL)}/`;

const { database, ids } = JSON.parse(readFileSync(0, 'utf8')) as { database: string; ids: string[] };
const search = await openSkillSearch({ database, keywordIndex: false });
const texts = ids.map((id) => search.get(id)).flatMap((skill) => skill ?? []);
await search.close();

const model = await pipeline('feature-extraction', basename(BUNDLED_MODEL), { dtype: 'q8', device: 'cpu' });
const embed = (text: string): Promise<unknown> => model(text, { pooling: 'mean', normalize: true });
for (const { name } of texts.slice(0, 20)) await embed(name);
const started = performance.now();
for (const { name, description } of texts) await embed(embeddedText(name, description));
console.log(JSON.stringify({ rate: texts.length / ((performance.now() - started) / 1000) }));
