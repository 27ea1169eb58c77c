// Stands in for curl where a machine has none: `curl -s URL [-X VERB] [-H 'Name: value']… [-d BODY]`, which
// is all that README.md uses.
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
  },
})
const headers = values.header.map((line): [string, string] => {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
})
const method = values.request ?? (values.data === undefined ? 'GET' : 'POST')
const response = await fetch(positionals[0] as string, {
  method,
  headers,
  ...(values.data === undefined ? {} : { body: values.data }),
})
process.stdout.write(await response.text())
