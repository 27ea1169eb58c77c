// A store that speaks S3's protocol on the loopback, for tests: it believes no request whose signature or
// checksum is wrong, and can be away.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { StorePlace } from '../../src/config/index.ts'

interface Kept {
  readonly content: Buffer
  at: Date
}

export interface TestStore {
  readonly place: StorePlace
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** By the whole name. */
  readonly objects: Map<string, Kept>
  /** Its answers, as `GET 200`. */
  readonly answers: string[]
  /** While true every request is answered with 503. */
  away: boolean
  /** While true no request is answered. */
  silent: boolean
  /** While not null every request is answered with this status, and this code. */
  refusal: { readonly status: number; readonly code: string } | null
  /** While true there is no such bucket. */
  bare: boolean
  /** So many copies are answered with 200, and an error. */
  failingCopies: number
  close(): Promise<void>
}

const BUCKET = 'files'
const REGION = 'eu-test-1'
const SECRET = 'a secret of the test'
/** Names of one page of a list. */
const PAGE = 3

/** Starts a store with one empty bucket. */
export async function startStore(): Promise<TestStore> {
  const objects = new Map<string, Kept>()
  const answers: string[] = []
  const server = createServer((request, response) => {
    const answer = (status: number, body: Buffer | string = '', headers: Record<string, string> = {}) => {
      answers.push(`${request.method} ${status}`)
      response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body)
    }
    void buffer(request).then((body) => {
      if (store.silent) return answers.push(`${request.method} silence`)
      if (store.refusal)
        return answer(store.refusal.status, `<Error><Code>${store.refusal.code}</Code></Error>`)
      if (store.away) return answer(503, '<Error><Code>SlowDown</Code></Error>')
      if (!isSigned(request, body)) return answer(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>')
      if (store.bare) return answer(404, '<Error><Code>NoSuchBucket</Code></Error>')
      if (request.headers['x-amz-copy-source'] !== undefined && store.failingCopies-- > 0)
        return answer(200, '<?xml version="1.0"?>\n<Error><Code>InternalError</Code></Error>')
      respond(objects, request, body, answer)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const store: TestStore = {
    place: { endpoint: `http://127.0.0.1:${port}`, region: REGION, bucket: BUCKET, prefix: 'shops/' },
    credentials: { accessKeyId: 'test', secretAccessKey: SECRET },
    objects,
    answers,
    away: false,
    silent: false,
    refusal: null,
    bare: false,
    failingCopies: 0,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return store
}

type Answer = (status: number, body?: Buffer | string, headers?: Record<string, string>) => unknown

function respond(
  objects: TestStore['objects'],
  request: IncomingMessage,
  body: Buffer,
  answer: Answer,
): unknown {
  const url = new URL(request.url ?? '/', 'http://store')
  const name = decodeURIComponent(url.pathname).slice(`/${BUCKET}/`.length)
  if (url.searchParams.get('list-type') === '2') return answer(200, listed(objects, url.searchParams))
  if (request.method === 'DELETE') {
    objects.delete(name)
    return answer(204)
  }
  if (request.method === 'PUT') {
    const source = request.headers['x-amz-copy-source']
    const from = source === undefined ? undefined : objects.get(String(source).slice(`/${BUCKET}/`.length))
    if (source !== undefined && !from) return answer(404, '<Error><Code>NoSuchKey</Code></Error>')
    objects.set(name, { content: from?.content ?? body, at: new Date() })
    return answer(200)
  }
  const object = objects.get(name)
  if (!object) return answer(404, '<Error><Code>NoSuchKey</Code></Error>')
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
  const part = start === undefined ? object.content : object.content.subarray(Number(start), Number(end) + 1)
  return answer(start === undefined ? 200 : 206, part, {
    'content-length': String(part.length),
    'last-modified': object.at.toUTCString(),
  })
}

function listed(objects: TestStore['objects'], query: URLSearchParams): string {
  const after = query.get('continuation-token') ?? ''
  const names = [...objects.keys()].filter((name) => name.startsWith(query.get('prefix') ?? '')).sort()
  const rest = names.filter((name) => name > after)
  const page = rest.slice(0, PAGE).map((name) => {
    const { content, at } = objects.get(name) as Kept
    return `<Contents><Key>${name}</Key><LastModified>${at.toISOString()}</LastModified><Size>${content.length}</Size></Contents>`
  })
  const next = rest.length > PAGE ? `<NextContinuationToken>${rest[PAGE - 1]}</NextContinuationToken>` : ''
  return `<?xml version="1.0"?><ListBucketResult>${page.join('')}${next}</ListBucketResult>`
}

const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()

/** Signature, version 4, as its description says; and the checksum that is a part of it. */
function isSigned({ method, url = '/', headers }: IncomingMessage, body: Buffer): boolean {
  const [, scope = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=test\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const claimed = String(headers['x-amz-content-sha256'])
  if (claimed !== 'UNSIGNED-PAYLOAD' && claimed !== sha256(body)) return false
  const { pathname, searchParams } = new URL(url, 'http://store')
  const query = [...searchParams]
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&')
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, pathname, query, signed.join(''), names, claimed].join('\n')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = scope.split('/').reduce<Buffer | string>((from, part) => hmac(from, part), `AWS4${SECRET}`)
  return hmac(key, text).toString('hex') === signature && scope.split('/')[1] === REGION
}
