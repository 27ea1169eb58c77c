// Access lines of modules, written as letters: who may read, write, create and remove records of which model.
import { type Command, type DataSet, ref } from '#models'

/** Letters of the operations granted to a group: r, w, c, d (for unlink). */
export type Grants = Readonly<Record<string, string>>

/** A model of the module itself by its name, one of another module as `account/account.journal`. */
function modelOf(key: string): { readonly model: string; readonly reference: string } {
  const [module, model] = key.includes('/') ? (key.split('/') as [string, string]) : ['', key]
  const name = `model_${model.replaceAll('.', '_')}`
  return { model, reference: module ? `${module}.${name}` : name }
}

/** One line for each model and group; groups by external id, those of the module itself by the plain name. */
export function accessLines(grants: Readonly<Record<string, Grants>>): DataSet {
  const lines = Object.entries(grants).flatMap(([key, groups]) => {
    const { model, reference } = modelOf(key)
    return Object.entries(groups).map(([group, letters]) => {
      const name = group.replace(/^.*group_/, '')
      const line = {
        name: `${model} ${name}`,
        model_id: ref(reference),
        group_id: ref(group),
        perm_read: letters.includes('r'),
        perm_write: letters.includes('w'),
        perm_create: letters.includes('c'),
        perm_unlink: letters.includes('d'),
      }
      return [`access_${model.replaceAll('.', '_')}_${name}`, line] as const
    })
  })
  return { model: 'ir.model.access', records: Object.fromEntries(lines) }
}

/** The value of `implied_ids` for a group that implies these. */
export const implying = (...groups: string[]): Command[] => [[6, 0, groups.map((group) => ref(group))]]
