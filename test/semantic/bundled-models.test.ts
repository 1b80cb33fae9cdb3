import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUNDLED_MODEL } from '../../src/index.js';
import { inspectModel } from '../../src/semantic/choose-model.js';
import type { Embedder } from '../../src/semantic/embedder.js';
import { startModel } from '../../src/semantic/routed-embedder.js';

const SKILLS = [
  'invoice-writer. Writes invoices and sends them to customers.',
  'meeting-notes. Turns the recording of a meeting into minutes with decisions and tasks.',
  'pdf-tables. Extracts tables from PDF files into spreadsheets.',
  'unit-tests. Writes unit tests for a code base and measures their coverage.',
  'kubernetes-deploy. Deploys containers to a Kubernetes cluster.',
  'translate-docs. Translates documents and keeps their layout.',
  'photo-retouch. Removes the background of photos and corrects their colours.',
  'travel-plan. Plans a journey with flights, hotels and daily routes.',
];

/** Requests for the first, the second, … of the skills. */
const REQUESTS: Readonly<Record<string, readonly (readonly [question: string, skill: number])[]>> = {
  English: [
    ['send the client a bill', 0],
    ['summarise what we agreed on in the call', 1],
  ],
  German: [
    ['Wie schreibe ich bitte eine Rechnung für meine Kunden?', 0],
    ['ich möchte den Hintergrund aus einem Foto entfernen', 6],
  ],
  Spanish: [
    ['quiero planear un viaje con vuelos y hoteles', 7],
    ['necesito extraer las tablas de un archivo PDF a Excel', 2],
  ],
  French: [['je voudrais traduire un document sans perdre la mise en page', 5]],
  Chinese: [
    ['把会议录音整理成纪要', 1],
    ['给我的代码写单元测试', 3],
  ],
  Japanese: [
    ['会議の録音から議事録を作りたい', 1],
    ['写真の背景を消したい', 6],
  ],
  Korean: [['고객에게 보낼 청구서를 작성해 줘', 0]],
  Russian: [['развернуть контейнеры в кластере Kubernetes', 4]],
  Arabic: [['أريد التخطيط لرحلة مع رحلات جوية وفنادق', 7]],
  Hindi: [['पीडीएफ फाइल से तालिका निकालनी है', 2]],
};

describe('the bundled models', () => {
  let embedder: Embedder;
  let skills: readonly Float32Array[];
  beforeAll(async () => {
    embedder = await startModel(await inspectModel(BUNDLED_MODEL), 1);
    skills = await embedder.embed(SKILLS, { purpose: 'document' });
  }, 60_000);
  afterAll(() => embedder?.close?.());

  test.each(Object.entries(REQUESTS))(
    'put a request in %s nearest to the skill in English that serves it',
    async (_, requests) => {
      const vectors = await embedder.embed(
        requests.map(([question]) => question),
        { purpose: 'question' },
      );
      const nearest = vectors.map((vector) => {
        const cosines = skills.map((skill) => skill.reduce((sum, value, i) => sum + value * vector[i]!, 0));
        return cosines.indexOf(Math.max(...cosines));
      });
      expect(nearest).toEqual(requests.map(([, skill]) => skill));
    },
  );

  test('give a text the same vector, whatever is embedded beside it', async () => {
    // Texts of as many tokens are embedded together.
    const english = ['send the client a bill', 'send the team a note', 'write the team a bill'];
    const chinese = ['把会议录音整理成纪要', '把会议录音整理成文本', '把会议录音翻译成中文'];
    const texts = [...english, ...chinese];
    const together = await embedder.embed(texts);
    for (const [i, text] of texts.entries()) expect((await embedder.embed([text]))[0]).toEqual(together[i]);
  });
});
