import { foldAccents } from '../characters.js';

/**
 * Function words of Japanese, written for this project: endings of verbs, particles of more than one character,
 * pronouns, question words, and what makes a request polite. A word stands for all pairs of characters in it. Other
 * pairs of Hiragana are kept: they may belong to a word that is asked for.
 */
const WORDS = `
  してください てください でください ください して下さい していただけますか いただきたい お願いします おねがいします したいです したい
  たいのですが てほしい ほしいです くれますか もらえますか ています ている ていた しました ました ません ないです でした でしょうか
  ですか です ます である することができる できます できる できない にする となる になる なった する した して しない される された
  させる されて について に関する による によって のための ために ため から まで など とか ので のに けど けれど だけ ほど より という
  といった として とは には では でも にも へは こと もの とき ところ どう どうやって どの どれ どこ どんな なに なぜ いつ これ この
  それ その あれ あの ここ そこ こんな そんな わたし ぼく あなた ように ような よう または および そして しかし また もし ありがとう
  よろしく`;

let pairs: ReadonlySet<string> | undefined;

/**
 * The pairs of characters that lie wholly in a function word of Japanese, as terms without accents. Made when they are
 * first asked for.
 */
export function japaneseFunctionPairs(): ReadonlySet<string> {
  pairs ??= new Set(WORDS.trim().split(/\s+/).flatMap(pairsOf));
  return pairs;
}

function pairsOf(word: string): string[] {
  return Array.from({ length: word.length - 1 }, (_, i) => foldAccents(word.slice(i, i + 2)));
}
