const LISTS: Readonly<Record<string, string>> = {
  en: `convert pdf to word | how do i write unit tests for a react component | Kubernetes deployment broken |
    pls summarise this meeting transcript | docker compose lint | review my pull request | excel pivot table |
    translate german contract | terraform plan diff | resume cover letter |
    my build fails on arm and I do not know why | generate invoices from csv | plan a vegan menu for a week |
    postgres slow qurey | blender 3d animation render`,
  zh: `如何把PDF转换成Word | 帮我写一份周报 | 会议纪要整理 | 代码审查 | 用Python做数据可视化 | 发票识别 | 怎么部署到Kubernetes | 把英文合同翻译成中文 | 請幫我檢查這段程式碼 |
    旅行计划 | Excel 表格合并 | 单元测试 | 生成PPT大纲 | 数据库查询太慢怎么办 | 小红书文案`,
  ja: `PDFをWordに変換したい | 議事録を要約して | コードレビュー | Reactのテストを書く | 請求書の読み取り | Kubernetesにデプロイする方法 | 英語のメールを書いてください | 旅行の計画を立てて |
    Excelの表をまとめる | ブログ記事の作成 | 履歴書を添削してほしい | データを可視化するには | dockerが起動しない | テスト自動化 | APIの仕様書を作りたいです`,
  ko: `PDF를 워드로 변환 | 회의록 요약해 줘 | 코드 리뷰 | 리액트 테스트 작성하는 방법 | 영수증 인식 | Kubernetes 배포가 안 돼요 | 영어 이메일 써 주세요 | 여행 계획 세우기 |
    엑셀 표 합치기 | 블로그 글 작성 | 이력서 첨삭 | 데이터 시각화 | docker가 시작되지 않음 | 테스트 자동화 | API 문서 만들고 싶어요`,
  de: `PDF in Word umwandeln | wie schreibe ich unit tests für react | rechnungen automatisch auslesen |
    Besprechungsprotokoll zusammenfassen | Bewerbung schreiben |
    ich möchte eine präsentation über klimawandel erstellen | docker container startet nicht |
    Excel Tabellen zusammenführen | steuererklärung für selbständige | Kannst du meinen Code überprüfen? |
    Was ist der beste Weg, ein Backup als Zip zu speichern | das Kubernetes deployment schlägt fehl |
    reiseplan für drei tage in rom | uebersetze diesen vertrag ins englische | bitte pruefe meine rechtschreibung`,
  es: `convertir pdf a word | cómo escribo pruebas unitarias para react | leer facturas automáticamente |
    resumir acta de reunión | escribir una carta de presentación |
    quiero crear una presentación sobre el cambio climático | mi contenedor docker no arranca |
    combinar hojas de excel | declaracion de la renta para autonomos | puedes revisar mi codigo |
    el despliegue en kubernetes falla | plan de viaje de tres días | traduce este contrato al inglés |
    por favor corrige mi ortografia | plan de entrenamiento para maratón`,
  fr: `convertir un pdf en word | comment écrire des tests unitaires pour react | lire les factures automatiquement |
    résumer un compte rendu de réunion | rédiger une lettre de motivation |
    je voudrais créer une présentation sur le climat | mon conteneur docker ne démarre pas |
    fusionner des feuilles excel | declaration de revenus auto-entrepreneur | peux-tu relire mon code ? |
    le déploiement kubernetes échoue | itinéraire de trois jours à Rome | traduis ce contrat en anglais |
    corriger mes fautes d’orthographe | idées de cadeaux pour mes enfants`,
  pt: `converter pdf para word | como escrevo testes unitários para react | ler faturas automaticamente |
    resumir ata de reunião | escrever uma carta de apresentação | gostaria de criar uma apresentação sobre o clima |
    meu container docker não inicia | juntar planilhas do excel | declaração de imposto de renda |
    você pode revisar meu código? | a implantação no kubernetes falhou | roteiro de viagem de três dias |
    traduza este contrato para o inglês | por favor corrija minha ortografia | preciso de ajuda com minhas finanças`,
  ru: `конвертировать pdf в word | как написать тесты для react | распознать счета автоматически |
    краткое содержание встречи | написать сопроводительное письмо | хочу сделать презентацию о климате |
    docker контейнер не запускается | объединить таблицы excel | налоговая декларация для ип | проверь мой код |
    ошибка деплоя kubernetes | план поездки на три дня | переведи договор на английский | исправь ошибки в тексте |
    помоги с резюме`,
  ar: `تحويل PDF إلى Word | كيف أكتب اختبارات لمكونات React | قراءة الفواتير تلقائيا | تلخيص محضر الاجتماع |
    كتابة خطاب تقديم | أريد إنشاء عرض تقديمي عن المناخ | حاوية docker لا تعمل | دمج جداول excel | الإقرار الضريبي |
    راجع الكود الخاص بي | فشل النشر على kubernetes | خطة سفر لثلاثة أيام | ترجم هذا العقد إلى الإنجليزية |
    صحح الأخطاء الإملائية من فضلك | سيرة ذاتية`,
  it: `convertire pdf in word | come scrivo test unitari per react | leggere le fatture automaticamente |
    riassumere il verbale della riunione | scrivere una lettera di presentazione |
    vorrei creare una presentazione sul clima | il mio container docker non parte | unire fogli excel |
    dichiarazione dei redditi | puoi controllare il mio codice? | il deploy su kubernetes non funziona |
    itinerario di viaggio di tre giorni | traduci questo contratto in inglese | correggi i miei errori di ortografia |
    idee regalo per i bambini`,
  nl: `pdf naar word omzetten | hoe schrijf ik unit tests voor react | facturen automatisch uitlezen |
    notulen van een vergadering samenvatten | sollicitatiebrief schrijven |
    ik wil een presentatie over het klimaat maken | mijn docker container start niet | excel bladen samenvoegen |
    belastingaangifte voor zzp | kun je mijn code nakijken? | de kubernetes deployment mislukt |
    reisplan voor drie dagen in rome | vertaal dit contract naar het engels | verbeter mijn spelfouten alsjeblieft |
    cadeau ideeën voor kinderen`,
  tr: `pdf'yi word'e dönüştür | react için birim testleri nasıl yazılır | faturaları otomatik oku |
    toplantı notlarını özetle | ön yazı hazırlama | iklim hakkında bir sunum yapmak istiyorum |
    docker konteyner başlamıyor | excel tablolarını birleştir | vergi beyannamesi | kodumu inceler misin? |
    kubernetes dağıtımı başarısız | üç günlük gezi planı | bu sözleşmeyi ingilizceye çevir |
    yazım hatalarını düzelt lütfen | cocuklar icin hediye fikirleri`,
  pl: `zamień pdf na word | jak napisać testy jednostkowe dla react | automatyczne odczytywanie faktur |
    streszczenie notatek ze spotkania | napisz list motywacyjny | chcę zrobić prezentację o klimacie |
    kontener docker nie startuje | połącz arkusze excel | rozliczenie podatku dochodowego |
    czy możesz sprawdzić mój kod? | wdrożenie na kubernetes nie działa | plan wycieczki na trzy dni |
    przetłumacz tę umowę na angielski | popraw proszę moją ortografię | pomysly na prezent dla dzieci`,
  hi: `PDF को Word में बदलें | react के लिए टेस्ट कैसे लिखें | बिल अपने आप पढ़ना | बैठक का सारांश | आवेदन पत्र लिखो |
    मुझे जलवायु पर प्रस्तुति बनानी है | docker कंटेनर शुरू नहीं हो रहा | एक्सेल शीट मिलाना | आयकर रिटर्न |
    मेरा कोड जाँचो | kubernetes पर तैनाती विफल | तीन दिन की यात्रा योजना | इस अनुबंध का अंग्रेजी में अनुवाद करें |
    कृपया मेरी वर्तनी सुधारें | बच्चों के लिए उपहार`,
  vi: `chuyển pdf sang word | làm thế nào để viết unit test cho react | đọc hóa đơn tự động | tóm tắt biên bản cuộc họp |
    viết thư xin việc | tôi muốn tạo bài thuyết trình về khí hậu | docker container không khởi động được |
    gộp các bảng excel | khai thuế thu nhập cá nhân | bạn kiểm tra mã giúp tôi được không |
    triển khai kubernetes bị lỗi | kế hoạch du lịch ba ngày | dịch hợp đồng này sang tiếng anh |
    sửa lỗi chính tả giúp tôi | ý tưởng quà tặng cho trẻ em`,
  th: `แปลง PDF เป็น Word | เขียนเทสต์สำหรับ React อย่างไร | อ่านใบแจ้งหนี้อัตโนมัติ | สรุปรายงานการประชุม |
    เขียนจดหมายสมัครงาน | อยากทำงานนำเสนอเรื่องสภาพอากาศ | docker ไม่ทำงาน | รวมตาราง excel | ยื่นภาษีเงินได้ |
    ช่วยตรวจโค้ดให้หน่อย | deploy kubernetes ไม่ได้ | แผนเที่ยวสามวัน | แปลสัญญานี้เป็นภาษาอังกฤษ | แก้คำผิดให้ด้วย |
    ของขวัญสำหรับเด็ก`,
};

/**
 * Short questions by language (ISO 639-1): whole sentences, two to five words, English names of products, all lower
 * case, typing errors. Written for this project.
 */
export const SHORT_QUESTIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(LISTS).map(([code, questions]) => [code, questions.split(/\s*\|\s*/)]),
);
