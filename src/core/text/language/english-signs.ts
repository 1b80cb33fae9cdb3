/**
 * Words that say a question is in English, as terms without accents: function words, the verbs and nouns that most
 * requests have, and words that stand in English questions though they are function words elsewhere (`mit`, `van`,
 * `las`, `par`).
 */
export const ENGLISH_SIGNS: ReadonlySet<string> = new Set(
  `a all also am an and any are as at be been before being between both but by can could did do does don down during
  each every for from get had has have he her him his how i if in into is isn it its just let like ll me more most my
  need new no not of on one only or other our out over per please re she should so some such t than that the their them
  then there these they this through to under up us use used using ve via was we were what when where which while who
  why will with within without would you your
  add analyse analyze app best build check code convert create data file find fix generate give help kind know make page
  review search show tell test way web work write
  al ben bin bir bu con da de del den des di die door dos e el en est hat hoe kim la las le los man max men met min mini
  mit n ne non o om par plus pour pro san son sub til till um un una und van var von war`.split(/\s+/),
);
