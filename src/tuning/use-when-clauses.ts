import { isDenied } from './negation.js';
import type { TextPart } from './quoted-phrases.js';

/** The clause ends with the sentence; a line break within a sentence is only a break. */
const END = '(?=[.;](?:\\s|$)|[。；！]|\\n\\s*\\n|\\s[-–—]{1,2}\\s|$)';
const CLAUSE = `((?:(?!\\n\\s*\\n)[^。；！]){12,400}?)${END}`;

/** "Use when …" in several languages, each with the clause as its first group. */
const PATTERNS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:use|used|invoke|invoked|activates?|triggers?|triggered|apply|applies|load|call)\\b(?: (?:it|this|these|the|skill|agent|command|tool|proactively|automatically|immediately|whenever possible|also|only|primarily|especially)){0,4},? (?:when(?:ever)?|if|for|before|after|on)\\b:? ${CLAUSE}`,
    'giu',
  ),
  new RegExp(`\\b(?:verwende[nt]?|nutze[nt]?|einsetzen|anwenden)\\b[^.\\n]{0,30}?,? (?:wenn|für) ${CLAUSE}`, 'giu'),
  new RegExp(
    `(?<!\\p{L})(?:usar|úsal[oa]|usa|utilizar|utiliza|utilice|activar|use|utilize|ative|acione)(?!\\p{L})[^.\\n]{0,30}? (?:cuando|siempre que|quando|sempre que) ${CLAUSE}`,
    'giu',
  ),
  new RegExp(
    `\\b(?:utilise[rz]?|activer|invoquer)\\b[^.\\n]{0,30}? (?:quand|lorsque|lorsqu['’]|pour) ?${CLAUSE}`,
    'giu',
  ),
  new RegExp(`(?:использу|используй|применя)\\p{L}*[^.\\n]{0,30}? (?:когда|при|для|если) ${CLAUSE}`, 'giu'),
  /(?:当|當|在)(?:用户|用戶|使用者|你|需要)([^。；;\n]{4,120}?)(?:时|時|的时候|的時候)(?:，|,)?(?:请|可|自动|必须|应)?(?:使用|触发|觸發|调用|啟用|启用|激活)[^。；;，,\n]{0,8}/gu,
  /(?:适用于|適用於|适合|(?<![作使])用于|用於)([^。；;\n]{4,120}?)(?=[。；;\n]|$)/gu,
  /(?:使用场景|适用场景|触发场景|触发条件|使用時機|触发词|触发关键词)\s?[:：]\s?([^。\n]{4,120}?)(?=[。\n]|$)/gu,
  /(?:^|[。、\n])([^。、\n]{4,80})(?:とき|時|場合|際|たい場面)に(?:は|、)?(?:使用|利用|使う|起動|発動|適用|呼び出|活用)[^。\n]{0,12}/gu,
  /(?:^|[.。\n])\s?([^.。\n]{4,80}?)\s(?:때|경우)(?:에|에는)?,?\s?(?:사용|활용|호출|적용|실행)[^.。\n]{0,10}/gu,
];

/** What stands at the beginning of a clause, before what the user needs. */
const BEGINNINGS: readonly RegExp[] = [
  /^(?:(?:the|a|your|any) )?(?:user|users|you|someone|claude|people|developers?|agent|team|request|task)s?\b(?:['’]s)? (?:(?:explicitly|specifically|also|just|simply|first) )*(?:(?:is|are) )?(?:(?:asks?|asking|asked|wants?|wanting|needs?|needing|says?|saying|requests?|requesting|mentions?|mentioning|tries|trying|would like|invokes?|involves?|has|have|provides?|describes?|discusses?)\b ?(?:(?:you|claude|for help|help|assistance|me)\b ?)?)?(?:(?:to|for|about|with|that|how to|something like|phrases like|or \w+ to)\b )*/iu,
  /^(?:for|when|if you|need(?:ing)?(?: to)?|you(?:'re| are)) /iu,
  /^(?:想要|想|需要|要求|希望|说|說|提到|提及|询问|詢問|请求|涉及|要)/u,
  /^(?:ユーザーが|ユーザが)/u,
  /^(?:사용자가|유저가)\s?/u,
];

/**
 * The "use when" clauses of a description, without "the user wants to" and the like at their beginning. Each part
 * covers "use when", too.
 */
export function useWhenClauses(description: string): TextPart[] {
  const found: TextPart[] = [];
  for (const pattern of PATTERNS) {
    for (const match of description.matchAll(pattern)) {
      const { index } = match;
      const [whole, clause = ''] = match;
      if (isDenied(description, index) || found.some(({ begin, end }) => index < end && index + whole.length > begin)) {
        continue;
      }
      found.push({ text: withoutBeginning(clause), begin: index, end: index + whole.length });
    }
  }
  return found;
}

/** What the user needs: a clause without "the user wants to". */
export function withoutBeginning(clause: string): string {
  const words = clause
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[,;:，、；：]+$/u, '');
  for (const beginning of BEGINNINGS) {
    const rest = words.replace(beginning, '');
    if (rest !== words) return rest.trim();
  }
  return words;
}
