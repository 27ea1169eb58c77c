// Attachments that hold a binary field are left out of searches, unless the domain names `res_field`
// (spec/models-api.md section 10).

type Params = Record<string, unknown>
type Run<R> = (records: R, params: Params) => Promise<unknown>

/** Generic methods that find records by a domain. */
const finding = [
  'search',
  'search_count',
  'search_read',
  'name_search',
  'web_search_read',
  'web_name_search',
] as const

/** Whether a condition of the domain is about `res_field`. */
export function namesFieldFiles(domain: unknown): boolean {
  if (!Array.isArray(domain)) return false
  if (domain.length === 3 && typeof domain[0] === 'string' && typeof domain[1] === 'string')
    return domain[0] === 'res_field'
  return domain.some(namesFieldFiles)
}

/**
 * The domain, without files of fields unless it names `res_field`. An invalid domain is returned
 * unchanged, for the parser of domains to refuse.
 */
export function excludeFieldFiles(domain: unknown): unknown {
  if (domain !== null && domain !== undefined && domain !== false && !Array.isArray(domain)) return domain
  if (namesFieldFiles(domain)) return domain
  return [['res_field', '=', false], ...((domain || []) as readonly unknown[])]
}

const leavingOutFieldFiles =
  <R>(next: Run<R>): Run<R> =>
  (records, params) =>
    next(records, { ...params, domain: excludeFieldFiles(params.domain) })

/** Wraps for every method that finds. */
export const withoutFieldFiles = Object.fromEntries(
  finding.map((name) => [name, leavingOutFieldFiles]),
) as Record<(typeof finding)[number], typeof leavingOutFieldFiles>
