// The module `resource`: working hours, times off, and who works by them.
import { defineModule, termsIn } from '#models'
import attendance from './attendance.ts'
import calendar from './calendar.ts'
import { data } from './data.ts'
import leaves from './leaves.ts'
import resource from './resource.ts'

export const resourceModule = defineModule({
  name: 'resource',
  version: '19.0.1.1',
  summary: 'Working hours, times off, and who works by them',
  title: 'Resource',
  author: 'Comptoir',
  category: 'base.module_category_hidden',
  depends: ['base'],
  models: [calendar, attendance, leaves, resource],
  data,
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// As the modules of others are imported: `import resourceModule from 'comptoir/modules/resource'`.
export default resourceModule
