// Modules that callers install, upgrade and remove over the API: done by the same verbs as on the command
// line, and written down in the caller's name.
import { type Databases, enterModules } from '../databases/index.ts'
import type { ModuleChange } from '../models/language/outside.ts'
import { installModules, uninstallModules, upgradeModules } from './admin.ts'

/**
 * Carries out a change; gives what the call answers in place of its own answer, as JSON, or null. Throws
 * UserError as the verbs do.
 */
export async function runModuleChange(
  server: Databases,
  name: string,
  { act, names, by }: ModuleChange,
): Promise<string | null> {
  switch (act) {
    case 'install':
      await installModules(server, name, names, { by })
      return null
    case 'upgrade':
      await upgradeModules(server, name, names, { by })
      return null
    case 'uninstall':
      await uninstallModules(server, name, names, { by })
      return null
    case 'list': {
      const database = await server.database(name)
      return JSON.stringify(await database.system(({ unit }) => enterModules(unit, server.options.modules)))
    }
  }
}
