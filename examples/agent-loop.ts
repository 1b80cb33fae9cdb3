// An agent that looks for skills at each message of its user.
//
// The agent opens a catalogue once. For each message it asks for the best skills, takes as many as fit into a budget of
// characters, and hands their text to a model. If nothing seems to fit, it asks the model without any skill: text that
// does not help costs tokens and misleads.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCatalogue, openSkillSearch, type SkillSearch } from 'skill-discovery';

/** Characters of skill text that a message may cost; count tokens instead if your model tells them. */
const BUDGET = 4000;

/** Below this probability a skill is more likely noise than help. Measure your own: see docs/evaluation.md. */
const MIN_SCORE = 0.3;

interface SkillText {
  readonly name: string;
  readonly text: string;
}

/** The best skills for a message, whole ones only, as long as the budget lasts. */
async function skillsFor(search: SkillSearch, message: string): Promise<SkillText[]> {
  const { hits, confident } = await search.semantic({ q: message, limit: 5, minScore: MIN_SCORE });
  if (!confident) return [];
  const chosen: SkillText[] = [];
  let left = BUDGET;
  for (const { skill } of hits) {
    const text = search.file(skill.id, 'SKILL.md')?.text ?? skill.description;
    if (text.length > left) continue;
    chosen.push({ name: skill.name, text });
    left -= text.length;
  }
  return chosen;
}

/** Stands in for your model. Text of a catalogue is from strangers: mark it as such. */
async function askModel(prompt: string): Promise<string> {
  const skills = prompt.match(/<skill name="[^"]*">/g) ?? [];
  return `(an answer with ${skills.length === 0 ? 'no skill' : skills.join(', ')})`;
}

async function answer(search: SkillSearch, message: string): Promise<string> {
  const skills = await skillsFor(search, message);
  const quoted = skills.map(({ name, text }) => `<skill name=${JSON.stringify(name)}>\n${text}\n</skill>`);
  return askModel([...quoted, message].join('\n\n'));
}

const folder = await mkdtemp(join(tmpdir(), 'skill-discovery-agent-'));
try {
  // Once, or in a program of its own: the sample folders of the project.
  const database = join(folder, 'skills.db');
  const sample = fileURLToPath(new URL('../data/sample/folders', import.meta.url));
  await buildCatalogue({ database, sources: [sample] });

  // At the start of the agent. `warmUp` loads the model now, so that the first message does not wait for it.
  await using search = await openSkillSearch({ database, warmUp: true });

  for (const message of [
    'Some of my tests fail in CI now and then, but never on my machine.',
    // A message may be as long as it likes: of more than 2,000 characters both ends are read.
    `Please find out which of my tests are flaky. The log:\n${'ok 1 - adds\n'.repeat(10_000)}\nWhy do my tests fail now and then?`,
    'My soup recipe is for four people, and we will be ten. Please scale its amounts.',
    'Thank you, that was great!',
  ]) {
    console.log(`user:  ${message.slice(0, 80)}`);
    console.log(`agent: ${await answer(search, message)}\n`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
