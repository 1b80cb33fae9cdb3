import { nameKey } from '../../core/index.js';

/** A place where a text may name a skill: ways to read it, the longest first. */
export type Mention = readonly string[];

/** Names have no more words, as a rule. */
const MOST_WORDS = 5;

/** Words of Latin script with the signs that names have, runs of letters of other scripts, and signs that end a phrase. */
const TOKEN =
  /[\p{Script=Latin}\p{N}](?:[\p{Script=Latin}\p{M}\p{N}_.+#:-]*[\p{Script=Latin}\p{M}\p{N}+#])?|[^\s\p{P}\p{S}\p{Script=Latin}\p{N}]+|[.!?。！？;\n]/gu;

const IS_BREAK = /^[.!?。！？;\n]$/;

/** `skill`, as people who write in another language say it. */
const SKILL =
  /^(?:skills?|skill[iaeu]\w{0,3}|fähigkeit(?:en)?|fertigkeit(?:en)?|comp[ée]tences?|habilidad(?:es)?|habilidades?|compet[êe]ncias?|abilità|competenz[ae]|vaardighe(?:id|den)|färdighet\w*|færdighed\w*|ferdighet\w*|tai[td]o\w{0,3}|umiejętnoś\w+|dovednost\w*|zručnosť?\w*|készség\w*|képesség\w*|abilitate\w*|competenț\w+|beceri\w*|yetene[kğ]\w*|năng|keterampilan|kemahiran)$|技能|スキル|스킬|기술|^(?:навы[кч]|скилл?|умени|вміння|уміння|δεξιότητ|ικανότητ)|مهار[ةته]|מיומנות|סקיל|कौशल|स्किल|দক্ষতা|ทักษะ|สกิล/iu;

/** What may stand between that word and a name. */
const BETWEEN = /^(?:called|named|namens|de|di|da|do|del|della|du|des|d|von|van|la|le|el|il|the|a|的|の|для)$/iu;

/** A name of several words counts behind these, */
const BEFORE_NAME =
  /^(?:us(?:e|ing|a|ar|ando)|run|invoke|apply|with|via|call|load|activate|start|try|mit|nutze?n?|verwende|benutze|avec|utilise[rz]?|con|com|gebruik|använd|brug|bruk|käytä|użyj|použij|használd|folosește|dùng|gunakan|используй(?:те)?|запусти|використай|使用|用|请使用|请用)$/iu;

/** and before these. */
const BEHIND_NAME = /^(?:を使|で(?:お願い|作)|を用|로|으로|을|를|사용|kullan|से$|का$)/iu;

const ARTICLE = /^(?:the|my|our|your|an?|de[nrm]|das|die|le|la|les|el|los|il|o|het|mijn|mein\w*)$/iu;

/**
 * Where a text may name a skill. A single word that is no name otherwise, such as `test`, counts beside the word for
 * skill, in backquotes, and as `/test`; two and more also behind `use` and the like; one with a hyphen anywhere.
 */
export function mentionsIn(text: string): readonly Mention[] {
  const mentions: Mention[] = [
    ...Array.from(text.matchAll(/`([^`\n]{1,64})`/g), ([, name]) => [name!, withoutPlugin(name!)]),
    ...Array.from(text.matchAll(CALLED), ([, name]) => [name!, withoutPlugin(name!)]),
  ];
  const tokens: readonly string[] = text.match(TOKEN) ?? [];
  const isBreak = tokens.map((token) => IS_BREAK.test(token));
  /** Words up to a place, or from one on, as many as a name has, but not beyond the end of a phrase. */
  const phrases = (at: number, step: 1 | -1, least: number): Mention => {
    let end = at;
    while (Math.abs(end - at) < MOST_WORDS && isBreak[end] === false) end += step;
    const words = step === 1 ? tokens.slice(at, end) : tokens.slice(end + 1, at + 1);
    const all = words.map((_, i) => (step === 1 ? words.slice(0, words.length - i) : words.slice(i)));
    return all.filter(({ length }) => length >= least).map((some) => some.join(' '));
  };
  const behind = (from: number, skipped: RegExp): number => {
    let at = from;
    while (skipped.test(tokens[at] ?? '')) at += 1;
    return at;
  };
  for (const [i, token] of tokens.entries()) {
    const inPlugin = /[-_].*:|skills?:/i.test(token) ? [withoutPlugin(token)] : [];
    if (/[-_:]/.test(token)) mentions.push([token, token.replace(/[-_]?skills?$/i, ''), ...inPlugin]);
    if (SKILL.test(token)) {
      mentions.push(phrases(i - 1, -1, 1), phrases(behind(i + 1, BETWEEN), 1, 1));
      // A language without blanks.
      const [glued = ''] = token.split(SKILL);
      if (glued !== '') mentions.push([glued, glued.replace(/^(?:请|請)?(?:使用|用)/, '')]);
    } else if (BEFORE_NAME.test(token)) mentions.push(phrases(behind(i + 1, ARTICLE), 1, 2));
    else if (BEHIND_NAME.test(token)) mentions.push(phrases(i - 1, -1, 2));
  }
  return mentions.filter(({ length }) => length > 0);
}

function withoutPlugin(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1);
}

/** `/name`, `$name`, also with a plugin, but no path and no variable. */
const CALLED = /(?<![\p{L}\p{N}/$.:\\~])[/$]([a-z][a-z\d_-]*(?::[a-z\d_-]+)?)(?![\w/-]|\.\w)/gu;

/** The skills that are named, in the order of the text. Of several of a name all are. */
export function namedBy<Skill extends { readonly name: string }>(
  mentions: readonly Mention[],
  skills: readonly Skill[],
): Skill[] {
  const keys = skills.map(({ name }) => nameKey(name));
  const found = mentions.flatMap((mention) => {
    const key = mention.map(nameKey).find((one) => one !== '' && keys.includes(one));
    return skills.filter((_, i) => keys[i] === key);
  });
  return [...new Set(found)];
}
