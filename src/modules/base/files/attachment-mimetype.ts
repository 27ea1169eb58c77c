// The kind of an attachment: as given, else from the ending of its name, else from its content
// (spec/models-api.md section 10).
import { mediaTypeOf } from '../../../kit/media-type.ts'

const UNKNOWN = 'application/octet-stream'

/** Endings whose type content alone does not show, or that are used most. */
const byEnding: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eml: 'message/rfc822',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  ico: 'image/vnd.microsoft.icon',
  ics: 'text/calendar',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  pdf: 'application/pdf',
  png: 'image/png',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  rtf: 'application/rtf',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  txt: 'text/plain',
  vcf: 'text/vcard',
  wav: 'audio/wav',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
}

/** A media type as a header may hold it, with parameters. */
const MEDIA_TYPE =
  /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:\s*;\s*[\w.+-]{1,100}=(?:[\w.+:-]{1,200}|"[\w .+:;=/-]{0,200}"))*$/

/**
 * Media type of a new attachment; an invalid `mimetype` counts as missing. Callers who are not
 * `trusted` get plain text for types that a browser would run.
 */
export async function mimetypeOf(
  mimetype: unknown,
  name: unknown,
  content: Buffer | null,
  trusted: boolean,
): Promise<string> {
  const type =
    typeof mimetype === 'string' && MEDIA_TYPE.test(mimetype)
      ? mimetype
      : (fromName(name) ?? (await fromContent(content)) ?? UNKNOWN)
  return trusted || !/html|xml|svg|javascript/i.test(type) || /openxmlformats/i.test(type)
    ? type
    : 'text/plain'
}

function fromName(name: unknown): string | undefined {
  const ending = typeof name === 'string' ? /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() : undefined
  return ending !== undefined && Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined
}

/** Bytes from which the detector decides; more would only cost time. */
const TELLING = 64 * 1024

async function fromContent(content: Buffer | null): Promise<string | undefined> {
  return content?.length ? mediaTypeOf(content.subarray(0, TELLING)) : undefined
}
