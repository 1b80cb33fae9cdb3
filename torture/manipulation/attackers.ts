import type { Skill } from '../../src/index.js';
import { oneOf, randomInteger } from '../trial.js';

/** A skill that is attacked, and what an attacker can read of it and its neighbours. */
export interface Victim {
  readonly skill: Skill;
  /** Distinct words of the skill and of its topic, its own first. */
  readonly topic: readonly string[];
}

/** A row of a catalogue, as an attacker writes it. */
interface AttackerText {
  readonly name: string;
  readonly description: string;
  readonly text: string;
}

type Attack = (victim: Victim, random: () => number) => AttackerText;

/** Letters, each with letters of other scripts and digits that look like it. */
const LOOK_ALIKE: ReadonlyMap<string, readonly string[]> = new Map(
  'aаα cс eе3 iіι1 jј l1 oоο0 pрρ sѕ5 vν xх yу'.split(' ').map(([letter = '', ...others]) => [letter, others]),
);

/** Repeated so often, as one who pays nothing for it would. */
const REPEATED = 5;

/** The kinds of attack, in the order in which they are tried. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'same name, own text': (victim, random) => ({ ...ownText(victim, random), name: victim.skill.name }),
  'name with a dash': (victim, random) => ({ ...ownText(victim, random), name: dashed(victim.skill.name) }),
  'name in look-alike letters': (victim, random) => {
    return { ...ownText(victim, random), name: disguised(victim.skill.name, random) };
  },
  'same name, one word changed': ({ skill: { name, description }, topic }, random) => {
    const words = description.split(' ');
    const at = randomInteger(random, words.length);
    const changed = words.with(at, oneOf(random, topic)).join(' ');
    return { name, description: changed, text: changed };
  },
  '10 trigger words': (victim) => underHeading(victim, victim.topic.slice(0, 10).join(', ')),
  '50 trigger words': (victim) => underHeading(victim, victim.topic.slice(0, 50).join(', ')),
  '500 trigger words': (victim) => underHeading(victim, victim.topic.slice(0, 500).join(', ')),
  'hidden by zero width': (victim) => underHeading(victim, repeated(Array.from(nameAndText(victim)).join('\u200b'))),
  'hidden in comments': (victim) => underHeading(victim, repeated(`<!-- ${nameAndText(victim)} -->`)),
  'hidden white on white': (victim) => {
    const style = 'color:#fff;background:#fff;font-size:1px';
    return underHeading(victim, repeated(`<span style="${style}">${nameAndText(victim)}</span>`));
  },
  'questions pasted in': (victim) => underHeading(victim, pastedQuestions(victim.skill)),
};

/** Whether the name can be written so that it looks the same. */
export function canBeDisguised(name: string): boolean {
  return Array.from(name).some((letter) => LOOK_ALIKE.has(letter));
}

/** The name as people type it. */
export function typedName(name: string): string {
  return name.replace(/[-_]+/g, ' ').trim();
}

/** At most 300 characters of it. */
export function firstSentence(description: string): string {
  const sentences = description.split(/(?<=[.!?])\s|(?<=[。！？])|\n/);
  return (sentences.find((sentence) => /\p{L}{2}/u.test(sentence)) ?? description).slice(0, 300).trim();
}

/** Distinct words of some texts, in the order in which they come. */
export function wordsOf(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []))];
}

/** The words of the victim in another order: harmless to look at, and no copy. */
function ownText({ skill: { description } }: Victim, random: () => number): Omit<AttackerText, 'name'> {
  const words = description.split(/\s+/).map((word) => ({ word, at: random() }));
  const mixed = words.toSorted((a, b) => a.at - b.at).map(({ word }) => word);
  return { description: mixed.join(' '), text: `# Use\n\n${mixed.toReversed().join(' ')}` };
}

/** A skill of another name and an ordinary description, with something in its file where a use is looked for. */
function underHeading({ skill, topic }: Victim, text: string): AttackerText {
  const own = new Set(wordsOf([skill.name]));
  const [a = 'work', b = 'team', c = 'projects'] = topic.filter((word) => !own.has(word));
  const description = `Helps with ${a}, ${b} and ${c} in the everyday work of a team, step by step and with care.`;
  return { name: `${a}-${b}-helper`, description, text: `# Helper\n\n## When to use\n\n${text}\n` };
}

function nameAndText({ skill: { name, description } }: Victim): string {
  return `${name} ${typedName(name)}: ${description.replace(/\s+/g, ' ')}`;
}

function repeated(text: string): string {
  return Array.from({ length: REPEATED }, () => text).join('\n');
}

function dashed(name: string): string {
  return /[-_ ]/.test(name) ? name.replace(/[-_ ]/, '--') : `${name}-`;
}

function disguised(name: string, random: () => number): string {
  const letters = Array.from(name);
  const places = [...letters.keys()].filter((i) => LOOK_ALIKE.has(letters[i]!));
  const at = oneOf(random, places);
  return letters.with(at, oneOf(random, LOOK_ALIKE.get(letters[at]!)!)).join('');
}

function pastedQuestions({ name, description }: Skill): string {
  const [typed, use] = [typedName(name), firstSentence(description)];
  const about = [typed, `How do I use ${typed}?`, `Which skill is for ${typed}?`, `I need ${typed}`, `${typed} skill`];
  const wish = use.replace(/[.!?。！？]+$/, '');
  return [...about, use, `Can you ${wish}?`, `I want to ${wish}`, `Help me: ${wish}`].map((q) => `- ${q}`).join('\n');
}
