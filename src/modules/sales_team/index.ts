// The module `sales_team`: salespeople, their teams, and the levels of rights for sales.
import { defineModule, termsIn } from '#models'
import { memberFacts, teamFacts } from './facts.ts'
import member from './member.ts'
import { data } from './security.ts'
import tag from './tag.ts'
import team from './team.ts'
import { teamThreads } from './threads.ts'
import users from './users.ts'
import { utmData, utmModels } from './utm.ts'

export const salesTeam = defineModule({
  name: 'sales_team',
  version: '19.0.1.2',
  summary: 'Sales teams and the rights of salespeople',
  title: 'Sales Teams',
  author: 'Comptoir',
  category: 'base.module_category_sales',
  depends: ['base', 'mail'],
  models: [tag, team, member, users, teamFacts, memberFacts, ...utmModels, ...teamThreads],
  data: [...data, ...utmData],
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// Functions for modules that depend on this one.
export { teamsFor } from './choice.ts'

// As the modules of others are imported: `import salesTeam from 'comptoir/modules/sales_team'`.
export default salesTeam
