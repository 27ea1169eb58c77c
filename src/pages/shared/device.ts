// Common names of programs by their `User-Agent`: a browser and its machine, or a client's own name.

/** Browsers by what only they say; those that pretend to be others come first. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Edg|EdgA|EdgiOS)\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
]
const machines: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]
/** Programs whose names say little. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/^curl\//, 'curl'],
  [/^Wget\//i, 'wget'],
  [/^python-requests\//, 'Python (requests)'],
  [/^(?:Python-urllib|Python-xmlrpc|Python)\//, 'Python'],
  [/^(?:node|undici)$|^node-fetch\b/, 'Node.js'],
  [/^PostmanRuntime\//, 'Postman'],
  [/^okhttp\//, 'an Android app (okhttp)'],
  [/^Go-http-client\//, 'Go'],
  [/^Java\/|^Apache-HttpClient\//, 'Java'],
  [/^PHP\b|^GuzzleHttp\//, 'PHP'],
]
const LONGEST = 40

const first = (list: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  list.find(([pattern]) => pattern.test(text))?.[1]

/** `Firefox on Windows`, `curl`, `till 2.1`; null without a name. */
export function deviceOf(agent: string | false | null): string | null {
  const text = (agent || '').trim()
  if (text === '') return null
  const browser = /^Mozilla\/|^Opera\//.test(text) ? first(browsers, text) : undefined
  const machine = first(machines, text)
  if (browser !== undefined) return machine ? `${browser} on ${machine}` : browser
  const program = first(programs, text)
  if (program !== undefined) return program
  // `till/2.1 (store 4)`: the name that a program gave itself.
  const [product = text] = text.split(/\s+\(/)
  const named = product.replace('/', ' ')
  return named.length > LONGEST ? `${named.slice(0, LONGEST)}…` : named
}
