/** Media types by extension. Those of texts count for texts only, the others for anything else. */
const TEXTS: Readonly<Record<string, string>> = {
  bat: 'text/plain',
  c: 'text/x-c',
  cfg: 'text/plain',
  cpp: 'text/x-c',
  cs: 'text/plain',
  css: 'text/css',
  csv: 'text/csv',
  go: 'text/plain',
  h: 'text/x-c',
  htm: 'text/html',
  html: 'text/html',
  ini: 'text/plain',
  ipynb: 'application/x-ipynb+json',
  java: 'text/x-java-source',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/jsonl',
  jsx: 'text/javascript',
  lua: 'text/x-lua',
  md: 'text/markdown',
  markdown: 'text/markdown',
  mjs: 'text/javascript',
  php: 'text/x-php',
  ps1: 'text/plain',
  py: 'text/x-python',
  r: 'text/plain',
  rb: 'text/x-ruby',
  rs: 'text/plain',
  sh: 'text/x-shellscript',
  sql: 'application/sql',
  svg: 'image/svg+xml',
  tex: 'text/x-tex',
  toml: 'application/toml',
  ts: 'text/x-typescript',
  tsv: 'text/tab-separated-values',
  tsx: 'text/x-typescript',
  txt: 'text/plain',
  xml: 'application/xml',
  xsd: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

const OTHERS: Readonly<Record<string, string>> = {
  '7z': 'application/x-7z-compressed',
  avif: 'image/avif',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  gz: 'application/gzip',
  ico: 'image/vnd.microsoft.icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  otf: 'font/otf',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  tar: 'application/x-tar',
  ttf: 'font/ttf',
  wasm: 'application/wasm',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
};

/**
 * The media type of a file, by its extension if that fits its content.
 *
 * @param isText whether the content is a text
 */
export function mediaTypeOf(path: string, isText: boolean): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const types = isText ? TEXTS : OTHERS;
  if (Object.hasOwn(types, extension)) return types[extension]!;
  return isText ? 'text/plain' : 'application/octet-stream';
}
