// The client's preferences for the form of answers, sent with methods that support them.
import type { ConnectOptions } from './transport.ts'

/** Methods that give values of records, or take them. */
const speaking = new Set([
  ...['read', 'search_read', 'web_read', 'web_search_read', 'web_name_search'],
  ...['formatted_read_group', 'formatted_read_grouping_sets'],
  ...['create', 'write', 'upsert', 'web_save', 'web_save_multi', 'web_resequence'],
])

/** The header values of a call, or of a request that carries rows without being a call. */
export function preferring(
  { values, numbers, timezone }: ConnectOptions,
  method?: string,
): { readonly prefer?: readonly string[] } {
  if (values !== 'typed' || (method !== undefined && !speaking.has(method))) return {}
  return {
    prefer: [
      'values=typed',
      ...(numbers === 'decimal' ? ['numbers=decimal'] : []),
      ...(timezone === undefined ? [] : [`timezone=${timezone}`]),
    ],
  }
}
