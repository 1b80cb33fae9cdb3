import { realpathSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fitsByWords } from '../../../src/agents/hook/fit-rule.js';
import { answerPrompts } from '../../../src/agents/hook/fitting-skills.js';
import { proseOf } from '../../../src/agents/hook/prompt-query.js';
import { rankByWords, readPromptQuestion } from '../../../src/agents/hook/rank-prompt.js';
import { WordTable, wordsIn } from '../../../src/agents/hook/word-table.js';
import { MAX_SEMANTIC_QUERY_LENGTH } from '../../../src/core/index.js';
import { askLocally } from '../../../src/core/local-server.js';
import { buildCatalogue, openSkillSearch } from '../../../src/index.js';
import { catalogueSearchOf } from '../../../src/search/index.js';
import { row } from '../../rows.js';
import { scratchFile, scratchFolder } from '../../scratch-folder.js';
import { StandInEmbedder } from '../../semantic/stand-in-embedder.js';

describe('fit rule', () => {
  const SKILLS = [
    row('pdf-forms', { name: 'pdf-forms', description: 'Fills in PDF forms from a folder, such as invoices.' }),
    row('release-notes', { name: 'release-notes', description: 'Turns the git history into a changelog.' }),
    ...Array.from({ length: 40 }, (_, i) => row(`other-${i}`, { description: `Other matter number ${i}.` })),
  ];

  describe('the rule by words', () => {
    const shown = async (prompt: string): Promise<boolean> => {
      await using search = await openSkillSearch({ skills: SKILLS });
      const question = readPromptQuestion(prompt)!;
      const ranked = rankByWords(question.text, catalogueSearchOf(search).wordCandidates({ q: question.text }, 100));
      return fitsByWords(question, ranked, SKILLS.length);
    };

    test('shows skills for a task that they are made for', async () => {
      expect(await shown('fill in PDF forms from a folder of invoices: names, dates and amounts')).toBe(true);
    });

    test('is silent for answers, remarks, code and tasks that no skill is for', async () => {
      for (const prompt of [
        'yes, do that',
        'thanks!',
        'now do the same for the other folder please',
        'why is `forms[0].name` undefined in src/pdf.ts:12?',
        'plan a vegetable garden with tomatoes, beans and lettuce for spring and summer',
      ]) {
        expect(await shown(prompt), prompt).toBe(false);
      }
    });
  });
});

describe.skipIf(process.platform === 'win32')('the first prompt of a server', () => {
  test('is answered by words where its model is not there in time', async () => {
    vi.stubEnv('XDG_RUNTIME_DIR', scratchFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const database = scratchFile('skills.db');
    const standIn = new StandInEmbedder();
    const skills = [row('pdf-forms', { name: 'pdf-forms', description: 'Fills in PDF forms, such as invoices.' })];
    await buildCatalogue({ database, sources: [skills], embedder: standIn });
    const stuck = { model: standIn.model, embed: () => new Promise<never>(() => {}) };
    const search = await openSkillSearch({ database, embedder: stuck });
    const server = await answerPrompts(database, async () => search);
    const ask = { prompt: 'fill in PDF forms from a folder of invoices: names and dates', mode: 'auto', limit: 3 };
    const asked = { subject: realpathSync(database), ask: { ...ask, patience: 1000 }, patience: 30_000 };
    expect(JSON.stringify(await askLocally(asked))).toContain('pdf-forms');
    await search.close();
    await server.close();
  });
});

describe('rank by words', () => {
  const SKILLS = [
    row('soup', {
      name: 'soup',
      description: 'A guide to recipes and cooking of meals with vegetables for the kitchen.',
    }),
    row('soup-copy', {
      name: 'soup',
      description: 'A guide to recipes and cooking of meals with vegetables for the kitchen.',
    }),
    row('network', {
      name: 'network',
      description: 'A guide that configures routers, switches and the firewall for a network.',
    }),
    row('tax', { name: 'tax', description: 'A guide that prepares tax returns and forms for accounting.' }),
  ];

  describe('skills ranked by the words of a prompt', () => {
    const ranked = async (prompt: string, limit = 100): Promise<string[]> => {
      await using search = await openSkillSearch({ skills: SKILLS });
      return rankByWords(prompt, catalogueSearchOf(search).wordCandidates({ q: prompt }, limit)).map(
        ({ skill }) => skill.name,
      );
    };

    test('come in the order of what the words mean, where all have the same of them', async () => {
      expect((await ranked('guide to what we eat for dinner'))[0]).toBe('soup');
      expect((await ranked('guide to internet and wifi'))[0]).toBe('network');
    });
  });
});

describe('word table', () => {
  describe('the table of words', () => {
    const table = WordTable.read();
    const cosine = (a: string, b: string): number => {
      const [of, other] = [table.vectorOf(a), table.vectorOf(b)];
      return of.reduce((sum, value, i) => sum + value * other[i]!, 0);
    };

    test('has vectors of unit length, which depend on neither case, order nor repetition', () => {
      expect(Math.hypot(...table.vectorOf('cook a meal'))).toBeCloseTo(1);
      expect(cosine('Meal: cook a meal', 'cook a MEAL')).toBeCloseTo(1);
    });

    test('brings texts about one matter near each other, without a word in common', () => {
      const other = cosine('what shall we eat for dinner', 'configures routers and firewalls');
      expect(cosine('what shall we eat for dinner', 'recipes and cooking of meals')).toBeGreaterThan(other + 0.2);
    });

    test('reads words as they are told from each other elsewhere', () => {
      const oneByOne = (text: string): Float32Array => {
        const joined = [...wordsIn(text)].join(' ');
        return table.vectorOf(joined);
      };
      for (const text of [
        'Fill 12forms_of PDF-files, naïve “tables” — and café_data2 for 東京 maps',
        '_leading 3d x1 É école; ALL CAPS Words words',
      ]) {
        expect(table.vectorOf(text), text).toEqual(oneByOne(text));
      }
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme' }), (text) => {
          expect(table.vectorOf(text)).toEqual(oneByOne(text));
        }),
      );
    });
  });
});

describe('prompt question', () => {
  describe('the prose of a prompt', () => {
    test('is what stands outside of blocks of code', () => {
      expect(proseOf('why is\n```ts\nconst a = 1;\n```\nwrong?')).toBe('why is\n \nwrong?');
      expect(proseOf('explain ~~~\nno end')).toBe('explain');
    });

    test('is empty for a command of the host, but not for a path or an exclamation', () => {
      for (const command of ['/clear', '/deploy staging', '/plugin:review now', ' /init', '!ls -la']) {
        expect(proseOf(command)).toBe('');
      }
      for (const prose of ['/etc/hosts is wrong', 'a /clear in it', '! that is odd'])
        expect(proseOf(prose)).toBe(prose);
    });

    test('is empty for messages of machines, and has nothing of those beside what the user has written', () => {
      for (const message of [
        '<task-notification>\n<status>completed</status>\n</task-notification>\nRead the output file: /tmp/x',
        '<command-name>/pdf</command-name><command-args>fill in forms</command-args>',
        '<local-command-stdout>fill in PDF forms</local-command-stdout>',
        'Caveat: The messages below were generated by the user while running local commands.',
        '<system-reminder>fill in PDF forms</system-reminder>',
        '<system-reminder>fill in PDF forms',
        '[Request interrupted by user for tool use]',
      ]) {
        expect(proseOf(message), message).toBe('');
      }
      expect(proseOf('<system-reminder>a</system-reminder>\nfill in forms')).toBe('fill in forms');
      expect(proseOf('[Request interrupted by user]stop')).toBe('stop');
      expect(proseOf('why does <command> fail?')).toBe('why does <command> fail?');
    });
  });

  describe('the question of a prompt', () => {
    test('measures how much of it is code', () => {
      expect(readPromptQuestion('draw a chart of sales')!.code).toBe(0);
      expect(readPromptQuestion('fooBar()')!.code).toBe(1);
      expect(readPromptQuestion('why fooBar()')!.code).toBeCloseTo(8 / 11);
      for (const code of ['src/main.ts', 'a[i]', 'x=1', 'std::vector', 'line 88', '`rows`', 'getName']) {
        expect(readPromptQuestion(code)!.code).toBeGreaterThan(0);
      }
      for (const prose of ['Tell me: why?', "it's done - thanks!", 'Größe, bitte.', '把变量名改掉']) {
        expect(readPromptQuestion(prose)!.code).toBe(0);
      }
    });

    test('is none without a letter or digit, and for a command of the host', () => {
      for (const prompt of ['', ' \n', '?!', '👍', '```\ncode\n```', '/clear']) {
        expect(readPromptQuestion(prompt)).toBeUndefined();
      }
    });

    test('is no longer than a search takes, in code points', () => {
      const { text } = readPromptQuestion('😀a'.repeat(3000))!;
      expect([...text].length).toBeLessThanOrEqual(MAX_SEMANTIC_QUERY_LENGTH);
    });
  });
});
