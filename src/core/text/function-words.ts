import { foldAccents, foldCase } from './characters.js';

/**
 * Function words by language (ISO 639-1), written for this project: articles, prepositions, pronouns, conjunctions,
 * auxiliaries, question words, negation, and what makes a request polite. They say in which language a question is, and
 * little of what it asks for.
 *
 * Words that also name a thing (`mit`, `war`) belong here too: they count as stop words only in a question of their
 * language. The letters that an apostrophe cuts off are words of their own (`l'image`: `l` and `image`), but for `c`,
 * which is a programming language.
 */
const LISTS = {
  cs: `a i ale nebo že aby protože když pokud jak jako také už ještě jen velmi více než v ve na do od z ze s se k ke o po
    pro při před za nad pod mezi bez přes podle u já ty on ona ono my vy oni mě mi mne tě ti ho mu jí nás nám vás vám je
    jim jich můj moje mého mou naše náš našeho našich tvůj váš vaše svůj své svou jeho její jejich ten ta to ti ty toho
    tomu tím tento tato toto této tohoto který která které kteří kterou něco nic někdo nikdo všechno všechny každý jiný
    kdo co kde kam kdy proč kolik jsem jsi jsme jste jsou být byl byla bylo byli bude budu budou má mám máme máte mít
    může můžu můžeš můžete mohu lze musí musím chci chce chceme chtěl chtěla bych by bychom potřebuji potřebuju
    potřebujeme ne ano tady tam teď pak prosím děkuji ahoj pomoc pomoz pomozte hledám`,
  da: `en et den det de og eller men at som om når hvis fordi mens også kun bare meget mere end så allerede endnu i på af
    for med til fra hos ved under over gennem mellem efter før inden mod uden ifølge jeg du han hun vi i mig dig sig os
    jer ham hende dem man min mit mine din dit dine sin sit sine vores jeres hans hendes deres denne dette disse nogen
    noget nogle hver alle alt anden andet andre ingen intet hvad hvem hvilken hvilket hvilke hvor hvornår hvorfor hvordan
    er være var været har have havde haft bliver blev kan kunne skal skulle må måtte bør vil ville gør gøre ikke nej ja
    her der nu da tak venligst hej hjælp hjælpe behøver brug søger`,
  id: `yang dan atau tetapi tapi karena jika kalau ketika saat bahwa agar supaya untuk dengan dari ke di pada dalam oleh
    tentang antara tanpa sampai sejak seperti sebagai secara juga hanya saja lebih sangat sudah belum masih akan sedang
    lagi pun ini itu saya aku kami kita kamu anda dia mereka ku mu nya ada adalah ialah tidak bukan jangan bisa dapat
    harus perlu mau ingin semua setiap banyak beberapa apa siapa mana dimana kapan mengapa kenapa bagaimana berapa gimana
    tolong mohon terima kasih bantu bantuan cara biar yg utk dgn gak nggak ga udah aja dong sih`,
  de: `der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner und oder aber denn weil
    dass daß ob wenn als wie so auch nur noch schon sehr mehr sowie damit dabei dazu dafür in im ins an am ans auf aus
    bei beim bis durch für gegen mit nach ohne seit über um unter von vom vor zu zum zur zwischen während wegen ab per
    ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen man mein meine meinen meinem meiner meines
    dein deine deinen deinem deiner sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere unseren
    unserem unserer euer eure dieser diese dieses diesen diesem jeder jede jedes jeden jedem alle allem allen alles
    etwas nichts welche welcher welches welchen welchem viele was wer wen wem wo wohin woher wann warum wieso weshalb
    wofür womit worauf ist bin bist sind seid war waren wäre wären sein gewesen hat habe haben hast habt hatte hatten
    hätte wird werde werden wirst wurde wurden würde würden kann kannst können könnte könnten könntest könnt muss muß
    müssen musst müsste soll sollen sollte sollten will willst wollen wollte möchte möchten möchtest darf dürfen mag
    lässt lassen machen mache mach macht tun gibt geht nicht nein ja doch mal hier da dann dort wieder immer jetzt
    jemand niemand bitte danke hallo hilf hilfe helfen brauche brauchen suche`,
  es: `el la los las lo un una unos unas al del y e o u ni pero sino porque pues que si como cuando aunque mientras
    también más muy ya aún solo sólo a ante bajo con contra de desde durante en entre hacia hasta para por según sin
    sobre tras mediante yo tú él ella ello nosotros ustedes vosotros ellos ellas me te se le les nos os mí ti conmigo
    usted mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro este esta esto estos estas ese esa eso esos
    esas aquel aquella algún alguno alguna algunos algunas algo todo toda todos todas cada otro otra otros otras mucho
    mucha muchos muchas qué quién quiénes cuál cuáles cómo cuándo dónde cuánto cuánta cuántos es son soy eres somos
    era eran fue fueron ser sea sido está están estoy estás estar estaba hay había haber he ha han hemos tiene tienen
    tengo tener puede pueden puedo puedes poder podría podrías debe debo deben deber quiero quiere quieres quisiera
    querría necesito necesita necesitamos hacer hace haga haz hago gustaría no sí así aquí allí ahora antes después
    nunca nada nadie alguien casi poco favor gracias hola ayuda ayúdame ayudar ayudarme busco`,
  fr: `le la les un une des du de l d au aux et ou mais donc or ni car que qu quand comme si lorsque puisque parce aussi
    plus très déjà encore bien à a dans par pour en vers avec sans sous sur chez entre depuis pendant avant après
    contre selon dès jusqu je j tu il elle on nous vous ils elles me m te t se s lui leur y moi toi soi eux mon ma mes
    ton ta tes son sa ses notre nos votre vos leurs ce cet cette ces cela ça ceci celui celle ceux tout toute tous
    toutes chaque quelque quelques autre autres aucun aucune qui quoi quel quelle quels quelles comment où pourquoi
    combien dont est es suis sommes êtes sont était étaient être été ai as avons avez ont avait avoir aurait serait
    soit peut peux pouvez pouvons peuvent pouvoir pourrais pourriez pourrait dois doit devez devoir faut veux veut
    voulez vouloir voudrais voudrait souhaite souhaiterais aimerais aimerait faire fait fais faites n ne pas non oui
    ici là alors rien jamais personne moins stp svp plaît merci bonjour salut aide aider aidez besoin cherche`,
  pt: `o a os as um uma uns umas ao aos à às do da dos das no na nos nas num numa pelo pela pelos pelas dum duma e ou
    mas porém nem que se porque pois quando como enquanto embora também mais muito já ainda só ante após até com contra
    de desde durante em entre para perante por pra pro sem sob sobre eu tu ele ela nós vocês você vós eles elas me te
    lhe lhes mim comigo meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas este esta estes estas
    isto esse essa esses essas isso aquele aquela aquilo neste nesta nesse nessa deste desta desse dessa algum alguma
    alguns algumas algo todo toda todos todas cada outro outra outros outras quem qual quais onde quanto quanta
    quantos é são sou és somos era eram foi foram ser seja sido está estão estou estar estava há havia tem têm tenho
    ter tinha pode podem posso podes poder poderia deve devo devem dever quero quer queria querem gostaria preciso
    precisa precisamos necessito fazer faz faça faço não sim assim então aqui ali agora antes depois nunca nada
    ninguém alguém tudo mesmo favor obrigado obrigada olá oi ajuda ajude ajudar procuro`,
  it: `il lo la i gli le un uno una l d al allo alla ai agli alle all del dello della dei degli delle dell dal dallo
    dalla dai dagli dalle dall nel nello nella nei negli nelle nell sul sullo sulla sui sugli sulle sull col e ed o
    oppure ma però anche perché che se quando come mentre quindi più molto già ancora solo a di da in con su per tra
    fra senza sotto sopra verso dopo prima durante contro entro io tu lui lei noi voi loro mi ti si ci vi ne me te mio
    mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra questo questa questi
    queste quest quello quella quelli quelle quel ogni qualche alcuni alcune tutto tutta tutti tutte altro altra altri
    altre qualcosa chi cosa cos quale quali dove quanto quanta quanti è sono sei siamo siete era erano essere sia
    stato stata ho hai ha abbiamo avete hanno avere aveva c può possono posso puoi potere potrebbe potresti deve devo
    devono dovere voglio vuole vuoi vorrei vorremmo bisogno serve fare fa faccio fai non no sì così qui qua adesso poi
    mai niente nessuno qualcuno favore grazie ciao aiuto aiutami aiutare aiutarmi cerco`,
  nl: `de het een t n der en of maar want dat als omdat terwijl ook nog al heel erg meer zo wel aan achter bij binnen
    buiten door in langs met na naar naast om onder op over per sinds te ten ter tegen tot tussen uit van vanaf via
    volgens voor vanuit zonder ik jij je hij zij ze wij we jullie u mij me hem haar hen hun ons mijn jouw uw zijn onze
    deze dit die welke elke elk ieder iedere alle alles iets niets sommige andere veel wat wie waar wanneer waarom hoe
    hoeveel waarmee is ben bent was waren geweest wezen heb hebt heeft hebben had hadden wordt word worden werd werden
    kan kunt kun kunnen kon zou zouden zal zullen moet moeten moest mag mogen wil wilt willen wilde graag doe doet
    doen maken maak maakt niet geen nee ja hier daar er dan nu alsjeblieft alstublieft aub dank bedankt hallo hoi help
    helpen hulp nodig zoek`,
  pl: `i a oraz lub albo ale lecz że żeby aby bo ponieważ gdy kiedy jeśli jeżeli jak także też tylko już jeszcze bardzo
    bardziej więc czy w we z ze do na o od po pod przed przez przy u za dla bez między nad około wśród ku ja ty on ona
    ono my wy oni one mnie mi ci ciebie go mu jej jemu ją nam nas nami wam was ich im nimi się siebie sobie mój moja
    moje moją mojego mojej moich moim mojemu twój twoja twoje nasz nasza nasze naszego naszej swój swoje swoją swojego
    swojej jego ten ta to te tę tą tego tej tym temu tych tymi ci każdy każda każde wszystko wszystkie wszystkich coś
    jakiś inny inne innych który która które którego której których którym co kto kogo czego czym gdzie skąd dokąd
    dlaczego jaki jaka jakie ile jest są jestem jesteś być był była było były będzie będą mam masz ma mamy mają mieć
    miał może możesz mogę mogą można móc mógłbyś muszę musi trzeba powinien powinno chcę chce chcesz chciałbym
    chciałabym potrzebuję potrzebujemy robić zrobić zrób nie tak tu tutaj tam teraz proszę prosze dzięki dziękuję
    cześć pomoc pomóż pomocy szukam`,
  tr: `bir bu şu o bunlar şunlar onlar bunu onu şunu bunun onun buna ona ve veya ya da de ama fakat ancak çünkü ki eğer
    ise hem gibi kadar daha en çok az sadece yalnızca ile için göre karşı doğru sonra önce üzerinde üzerine altında
    arasında içinde içine hakkında tarafından olarak dolayı beri ben sen biz siz beni seni bizi sizi bana sana bize
    size benim senim senin bizim sizin onların kendi her hiç bazı bütün tüm başka diğer birkaç şey ne neden niçin niye
    nasıl nerede nereye nereden kim kimin hangi kaç mi mı mu mü misin mısın musun müsün misiniz mısınız var yok değil
    olan olur olmak olsun oldu olması idi istiyorum isterim istiyoruz istiyor lazım gerek gerekiyor gerekli ihtiyacım
    yapmak yap yapar yapabilir yapılır etmek et eder evet hayır burada şimdi lütfen teşekkürler merhaba selam yardım
    yardımcı arıyorum`,
  sv: `en ett den det de och eller men att som om när därför eftersom medan också bara mycket mer än så redan ännu i på
    av för med till från hos vid under över genom mellan efter före innan mot utan inom åt enligt jag du han hon vi ni
    mig dig sig oss er honom henne dem man min mitt mina din ditt dina sin sitt sina vår vårt våra hans hennes deras
    denna detta dessa någon något några varje alla allt annan andra ingen inget vad vem vilken vilket vilka var vart
    varför hur är vara varit har ha hade haft blir bli blev kan kunde skulle ska skall måste bör får vill ville göra
    gör inte nej ja här där nu då snälla tack hej hjälp hjälpa behöver söker`,
  ru: `и а но или либо да что чтобы как если когда потому также тоже же ли бы только уже ещё очень более в во на с со к
    ко у о об обо от из изо за для по под над при про без до через между перед после около я ты он она оно мы вы они
    меня мне мной тебя тебе него нее нему ней его ему её ей нас нам нами вас вам вами их им ними себя себе мой моя моё
    мои моего моей моему моим моих мою твой твоя ваш ваша ваше ваши наш наша наше наши нашего нашей свой своя своё
    свои своего своей свою своих этот эта это эти этого этой этому этим этих эту тот та то те того той тем тех весь
    всё все всех всем каждый какой какая какое какие какую который которая которое которые которого которой которых
    кто кого где куда откуда почему зачем сколько чем чего есть был была было были быть будет будут может могу можешь
    можете можно могут мог могла нужно нужен нужна нужны надо должен должна должно хочу хотим хочет хотел хотела бы
    сделать делать сделай не нет ни вот тут там здесь так сейчас потом никто ничего пожалуйста спасибо привет
    здравствуйте помоги помогите помощь ищу`,
  uk: `і й та або але що щоб якщо коли бо тому як так чи також ще вже лише тільки дуже більше менше ніж в у на до з із зі
    за від для про при по під над перед після через між без біля проти серед я ти він вона воно ми ви вони мене тебе
    його її нас вас їх мені тобі йому їй нам вам їм мій моя моє мої мого моїй наш наша наше наші твій твоя ваш ваша свій
    своя своє свої свою цей ця це ці цього той те ті який яка яке які якого яку весь вся все всі кожен інший хто де куди
    звідки чому навіщо скільки чим є був була було були бути буде будуть може можу можна можуть треба потрібно потрібен
    потрібна повинен хочу хочемо хоче хотів хотіла б би зробити зроби не ні ось тут там зараз потім будь ласка привіт
    дякую допоможи допоможіть допомога шукаю`,
  ar: `في من إلى على عن مع بين عند عبر حول خلال منذ حتى قبل بعد تحت فوق دون بدون لدى ضد و أو ثم لكن أن إن أنه أنها لأن
    كي لكي إذا لو حيث كما بل أنا أنت نحن هو هي هم هما أنتم لي لك له لها لنا لهم بي به بها فيه فيها منه منها عليه عليها
    إليه هذا هذه ذلك تلك هؤلاء الذي التي الذين كل بعض أي غير جميع ما ماذا من متى أين كيف لماذا هل كم كان كانت يكون
    تكون ليس ليست قد سوف يمكن يمكنني يمكنك هناك يجب أستطيع أريد أود أحتاج نريد نحتاج أرغب لا لم لن نعم هنا الآن فضلك
    شكرا مرحبا رجاء ساعدني مساعدة الخاص الخاصة أبحث`,
} as const;

/** The languages that have a list of function words, as ISO 639-1 codes. English has the list `STOP_WORDS`. */
export type ListedLanguage = keyof typeof LISTS;

export const LISTED_LANGUAGES: readonly ListedLanguage[] = Object.keys(LISTS) as ListedLanguage[];

/** @param language ISO 639-1 */
export function isListedLanguage(language: string): language is ListedLanguage {
  return Object.hasOwn(LISTS, language);
}

const sets = new Map<ListedLanguage, ReadonlySet<string>>();

/** The function words of a language, as terms without accents. Read when they are first asked for. */
export function functionWords(language: ListedLanguage): ReadonlySet<string> {
  let words = sets.get(language);
  if (words === undefined) {
    words = new Set(LISTS[language].split(/\s+/).map((word) => foldAccents(foldCase(word))));
    sets.set(language, words);
  }
  return words;
}

let every: string | undefined;

/** Whether any language has a word among its function words. Reads no list word by word. */
export function isFunctionWord(term: string): boolean {
  every ??= ` ${foldAccents(foldCase(Object.values(LISTS).join(' '))).replace(/\s+/g, ' ')} `;
  return every.includes(` ${term} `);
}

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
