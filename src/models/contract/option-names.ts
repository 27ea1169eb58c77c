// Names of options in declarations that were not type-checked: reports unknown ones with the name that
// was probably meant.
import { alike } from '../../kit/alike.ts'

/** Every name of an options type. A list that lacks a name or has another one does not compile. */
export type NamesOf<T> = Readonly<Record<keyof T & string, true>>

/**
 * Messages for every name in `options` that does not exist. `subject` names the owner of the options, in
 * the plural: `char fields`. `elsewhere` explains a name that is an option of something else.
 */
export function* unknownOptions(
  subject: string,
  options: unknown,
  names: readonly string[],
  elsewhere: (name: string) => string = () => '',
): Iterable<string> {
  if (typeof options !== 'object' || options === null) return
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue
    const lower = (text: string) => text.toLowerCase()
    const [nearest] = alike(lower(name), names.map(lower))
    const meant = names.find((option) => lower(option) === nearest)
    const advice = meant
      ? `did you mean ${meant}?`
      : elsewhere(name) || `remove it, or use ${names.join(', ')}.`
    yield `${subject} have no option ${name}: ${advice}`
  }
}
