// The module `base`: contacts, geography, money, companies, users, groups, keys, and the models that describe
// the server itself.
import { defineModule } from '#models'
import address from './address.ts'
import apikeys from './apikeys.ts'
import apikeysPolicy from './apikeys-policy.ts'
import apikeysShow from './apikeys-show.ts'
import apikeysUse from './apikeys-use.ts'
import apikeysWizard from './apikeys-wizard.ts'
import audit from './audit.ts'
import bank from './bank.ts'
import bankAccount from './bank-account.ts'
import category from './category.ts'
import company from './company.ts'
import configSettings from './config-settings.ts'
import country from './country.ts'
import countryGroup from './country-group.ts'
import countryState from './country-state.ts'
import currency from './currency.ts'
import currencyRate from './currency-rate.ts'
import { data } from './data.ts'
import decimalPrecision from './decimal-precision.ts'
import groups from './groups.ts'
import groupsPrivilege from './groups-privilege.ts'
import identityCheck from './identity-check.ts'
import avatarMixin, { imageMixin } from './image.ts'
import industry from './industry.ts'
import irActions from './ir-actions.ts'
import irActionsActUrl from './ir-actions-act-url.ts'
import irActionsActWindow from './ir-actions-act-window.ts'
import irActionsReport from './ir-actions-report.ts'
import irActionsServer from './ir-actions-server.ts'
import irActionsTodo from './ir-actions-todo.ts'
import irAttachment from './ir-attachment.ts'
import irAutovacuum from './ir-autovacuum.ts'
import irConfigParameter from './ir-config-parameter.ts'
import irCron, { scheduled } from './ir-cron.ts'
import irCronTrigger from './ir-cron-trigger.ts'
import irDefault from './ir-default.ts'
import irFilters from './ir-filters.ts'
import irLogging from './ir-logging.ts'
import irMailServer from './ir-mail-server.ts'
import irModel from './ir-model.ts'
import irModelAccess from './ir-model-access.ts'
import irModelData from './ir-model-data.ts'
import irModelFields from './ir-model-fields.ts'
import irModelFieldsSelection from './ir-model-fields-selection.ts'
import irModule from './ir-module.ts'
import irModuleCategory from './ir-module-category.ts'
import irRule from './ir-rule.ts'
import irSequence from './ir-sequence.ts'
import irSequenceDateRange from './ir-sequence-date-range.ts'
import irUiMenu from './ir-ui-menu.ts'
import irUiView from './ir-ui-view.ts'
import lang from './lang.ts'
import languageInstall from './language-install.ts'
import { neutralize } from './neutralize.ts'
import partner from './partner.ts'
import propertiesDefinition from './properties-definition.ts'
import root from './root.ts'
import rpcDeprecatedCall from './rpc-deprecated-call.ts'
import { groupsData, usersData } from './security.ts'
import sessionInfo from './session-info.ts'
import { terms } from './terms.ts'
import users from './users.ts'
import usersLog from './users-log.ts'

export const base = defineModule({
  name: 'base',
  version: '19.0.1.3',
  summary: 'Contacts, companies, users and rights, and what every other module stands on',
  title: 'Base',
  author: 'Comptoir',
  category: 'base.module_category_hidden',
  depends: [],
  models: [
    // What describes the server.
    root,
    irModel,
    irModelFields,
    irModelFieldsSelection,
    irModelData,
    irModelAccess,
    irRule,
    irConfigParameter,
    irDefault,
    irFilters,
    irSequence,
    irSequenceDateRange,
    irAttachment,
    irModuleCategory,
    irModule,
    irActions,
    irActionsActWindow,
    irActionsActUrl,
    irActionsReport,
    irActionsServer,
    irActionsTodo,
    irCron,
    irCronTrigger,
    irAutovacuum,
    irUiView,
    irUiMenu,
    irLogging,
    irMailServer,
    rpcDeprecatedCall,
    audit,
    sessionInfo,
    // Places, money, languages.
    country,
    countryState,
    countryGroup,
    currency,
    currencyRate,
    decimalPrecision,
    lang,
    languageInstall,
    // Contacts and companies.
    address,
    imageMixin,
    avatarMixin,
    propertiesDefinition,
    partner,
    category,
    industry,
    bank,
    bankAccount,
    company,
    // Users and what they may do.
    groupsPrivilege,
    groups,
    users,
    usersLog,
    apikeys,
    apikeysWizard,
    apikeysShow,
    apikeysUse,
    apikeysPolicy,
    identityCheck,
    configSettings,
  ],
  data: [...groupsData, ...data, ...usersData, scheduled],
  terms,
  neutralize,
})

// What modules that depend on this one may use beside models.
export { accessLines, type Grants } from './access-lines.ts'
export { addressPaths } from './address.ts'
export { byCompany } from './by-company.ts'
export { markCopies } from './copied-names.ts'
export { type RateAsk, type RateInForce, ratesOf, ratesOn } from './currency-rates.ts'
export { digitsOf } from './decimal-precision.ts'
export { featureIsOn, switchFeature } from './features.ts'
export { givenVals } from './given.ts'
export { drawInRow, nextNumbers, nextNumbersOf } from './ir-sequence-draw.ts'
export { withNumbers } from './numbers.ts'
export { addressesOf } from './partner-addresses.ts'
export { countUpwards } from './partner-counts.ts'
export {
  addressLines,
  type Letterhead,
  languagesFor,
  letterheads,
  plainText,
  printMethods,
  type Written,
} from './print.ts'
export { assertAllowed, refuse } from './refusal.ts'
export { shownRecords } from './shown.ts'

// As the modules of others are imported: `import base from 'comptoir/modules/base'`.
export default base
