// The peer of the embedding phase: the model runtime by itself, called text by text. Prints texts a second as JSON.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as runtime from 'onnxruntime-node';
import { readTokenizer } from '../src/core/index.js';
import { BUNDLED_MODEL, openSkillSearch } from '../src/index.js';
import { embeddedText } from '../src/semantic/index.js';

process.env['ORT_DISABLE_TELEMETRY'] ??= '1';

const { database, ids } = JSON.parse(readFileSync(0, 'utf8')) as { database: string; ids: string[] };
const search = await openSkillSearch({ database });
const texts = ids.map((id) => search.get(id)).flatMap((skill) => skill ?? []);
await search.close();

const { tokenizer, most } = await readTokenizer(BUNDLED_MODEL);
const session = await runtime.InferenceSession.create(join(BUNDLED_MODEL, 'onnx/model_quantized.onnx'), {
  executionProviders: ['cpu'],
  logSeverityLevel: 3,
});
const embed = async (text: string): Promise<unknown> => {
  const ids = tokenizer.encode(text).ids.slice(0, most);
  const of = (values: readonly number[]) =>
    new runtime.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  return session.run({ input_ids: of(ids), attention_mask: of(ids.map(() => 1)) }, session.outputNames);
};
for (const { name } of texts.slice(0, 20)) await embed(name);
const started = performance.now();
for (const { name, description } of texts) await embed(embeddedText(name, description));
console.log(JSON.stringify({ rate: texts.length / ((performance.now() - started) / 1000) }));
