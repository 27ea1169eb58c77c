// The module `base`: contacts, geography, money, companies, users, groups, keys, and the models that describe
// the server itself.
import { defineModule } from '#models'
import { bindings } from './actions/bindings.ts'
import { embeddedActions } from './actions/embedded-actions.ts'
import irActions from './actions/ir-actions.ts'
import irActionsActUrl from './actions/ir-actions-act-url.ts'
import irActionsActWindow from './actions/ir-actions-act-window.ts'
import irActionsReport from './actions/ir-actions-report.ts'
import irActionsServer from './actions/ir-actions-server.ts'
import irActionsTodo from './actions/ir-actions-todo.ts'
import irAutovacuum from './actions/ir-autovacuum.ts'
import irCron, { scheduled } from './actions/ir-cron.ts'
import irCronTrigger from './actions/ir-cron-trigger.ts'
import { keptFields } from './actions/kept-fields.ts'
import { reportMethods } from './actions/report-methods.ts'
import { paperModels } from './actions/report-paperformat.ts'
import { auditedModels } from './audited.ts'
import company from './companies/company.ts'
import configSettings from './companies/config-settings.ts'
import { layoutData, layoutModels } from './companies/document-layout.ts'
import bank from './contacts/bank.ts'
import bankAccount from './contacts/bank-account.ts'
import category from './contacts/category.ts'
import industry from './contacts/industry.ts'
import partner from './contacts/partner.ts'
import { partnerMaking } from './contacts/partner-creation.ts'
import { data } from './data.ts'
import { demo } from './demo.ts'
import { attachmentMethods } from './files/attachment-methods.ts'
import avatarMixin, { imageMixin } from './files/image.ts'
import irAttachment from './files/ir-attachment.ts'
import apikeys from './keys/apikeys.ts'
import apikeysPolicy from './keys/apikeys-policy.ts'
import apikeysShow from './keys/apikeys-show.ts'
import apikeysUse from './keys/apikeys-use.ts'
import apikeysWizard from './keys/apikeys-wizard.ts'
import { neutralize } from './neutralize.ts'
import address from './places/address.ts'
import country from './places/country.ts'
import countryGroup from './places/country-group.ts'
import countryState from './places/country-state.ts'
import currency from './places/currency.ts'
import currencyRate from './places/currency-rate.ts'
import currencyText from './places/currency-text.ts'
import decimalPrecision from './places/decimal-precision.ts'
import lang from './places/lang.ts'
import languageInstall from './places/language-install.ts'
import irConfigParameter from './reflection/ir-config-parameter.ts'
import irDefault from './reflection/ir-default.ts'
import irFilters from './reflection/ir-filters.ts'
import irLogging from './reflection/ir-logging.ts'
import irMailServer from './reflection/ir-mail-server.ts'
import irModel from './reflection/ir-model.ts'
import irModelData from './reflection/ir-model-data.ts'
import irModelFields from './reflection/ir-model-fields.ts'
import irModelFieldsSelection from './reflection/ir-model-fields-selection.ts'
import irModule from './reflection/ir-module.ts'
import irModuleCategory from './reflection/ir-module-category.ts'
import moduleDependencies from './reflection/ir-module-dependency.ts'
import irUiMenu from './reflection/ir-ui-menu.ts'
import irUiView from './reflection/ir-ui-view.ts'
import moduleFacts from './reflection/module-facts.ts'
import propertiesDefinition from './reflection/properties-definition.ts'
import rpcDeprecatedCall from './reflection/rpc-deprecated-call.ts'
import audit from './rights/audit.ts'
import auditLine from './rights/audit-line.ts'
import { chainLinks, chains } from './rights/chain.ts'
import { filterRule } from './rights/filter-rule.ts'
import irModelAccess from './rights/ir-model-access.ts'
import irRule from './rights/ir-rule.ts'
import { groupsData, usersData } from './rights/security.ts'
import root from './root.ts'
import irSequence from './sequences/ir-sequence.ts'
import irSequenceDateRange from './sequences/ir-sequence-date-range.ts'
import { terms } from './terms.ts'
import { devices } from './users/devices.ts'
import groups from './users/groups.ts'
import groupsPrivilege from './users/groups-privilege.ts'
import identityCheck from './users/identity-check.ts'
import sessionInfo from './users/session-info.ts'
import users from './users/users.ts'
import usersLog from './users/users-log.ts'
import usersPreferences from './users/users-preferences.ts'
import webhookDelivery from './webhooks/delivery.ts'
import webhook from './webhooks/webhook.ts'

export const base = defineModule({
  name: 'base',
  version: '19.0.1.11',
  summary: 'Contacts, companies, users and rights, and what every other module stands on',
  title: 'Base',
  author: 'Comptoir',
  category: 'base.module_category_hidden',
  depends: [],
  models: [
    // Models that describe the server.
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
    attachmentMethods,
    irModuleCategory,
    irModule,
    ...moduleDependencies,
    moduleFacts,
    irActions,
    irActionsActWindow,
    irActionsActUrl,
    irActionsReport,
    irActionsServer,
    irActionsTodo,
    ...bindings,
    ...keptFields,
    ...embeddedActions,
    irCron,
    irCronTrigger,
    irAutovacuum,
    irUiView,
    irUiMenu,
    irLogging,
    irMailServer,
    rpcDeprecatedCall,
    audit,
    chains,
    chainLinks,
    auditLine,
    sessionInfo,
    // Places, money, languages.
    country,
    countryState,
    countryGroup,
    currency,
    currencyRate,
    currencyText,
    decimalPrecision,
    lang,
    languageInstall,
    // Contacts and companies.
    address,
    imageMixin,
    avatarMixin,
    propertiesDefinition,
    partner,
    partnerMaking,
    category,
    industry,
    bank,
    bankAccount,
    company,
    // Users and what they may do.
    groupsPrivilege,
    groups,
    users,
    usersPreferences,
    usersLog,
    apikeys,
    apikeysWizard,
    apikeysShow,
    apikeysUse,
    apikeysPolicy,
    identityCheck,
    configSettings,
    // Webhooks.
    webhook,
    webhookDelivery,
    ...auditedModels,
    ...paperModels,
    reportMethods,
    ...layoutModels,
    ...devices,
  ],
  data: [...groupsData, ...data, ...usersData, ...layoutData, scheduled],
  migrations: [filterRule],
  demo,
  terms,
  neutralize,
})

export { givenIds, givenLines, givenTargets, givenVals } from './caller-arguments.ts'
// Functions for modules that depend on this one.
export { byCompany } from './companies/by-company.ts'
export { layoutChosenFirst } from './companies/document-layout.ts'
export { addressesOf } from './contacts/partner-addresses.ts'
export { countUpwards } from './contacts/partner-counts.ts'
export { markCopies } from './copied-names.ts'
export { type Address, addressPaths } from './places/address.ts'
export { type RateAsk, type RateInForce, ratesOf, ratesOn } from './places/currency-rates.ts'
export { amountInWords } from './places/currency-text.ts'
export { digitsOf } from './places/decimal-precision.ts'
export { chosen } from './places/place-changes.ts'
export { timeZones } from './places/time-zones.ts'
export { portalAddress, portalComputed, portalFields, portalMethods } from './portal.ts'
export {
  addressLines,
  type LanguageRow,
  type Letterhead,
  type LetterheadFacts,
  languagesFor,
  letterheadOf,
  letterheads,
  plainText,
  printMethods,
  type Written,
  written,
} from './print.ts'
export { featureIsOn, switchFeature } from './reflection/features.ts'
export { accessLines, type Grants, implying } from './rights/access-lines.ts'
export { companyRule, ofCompanies, ofCompaniesOrNone } from './rights/company-rules.ts'
export { issuedWith, keptOnceIssued, keptOnceListed, otherValues } from './rights/issued.ts'
export { permittedRecord } from './rights/record-rights.ts'
export {
  assertAllowed,
  assertAllowedAndExisting,
  assertNoneMissing,
  readableLinks,
  refuse,
} from './rights/refusal.ts'
export { drawGaplessTexts, nextNumbers, nextNumbersOf } from './sequences/ir-sequence-draw.ts'
export { withNumbers } from './sequences/numbers.ts'
export {
  actionMethod,
  readonlyActionMethod,
  shownAddress,
  shownForm,
  shownRecords,
  shownWindow,
} from './shown.ts'
export { assertMayActFor } from './users/grants.ts'
export { assertProven } from './users/step-up.ts'

// As the modules of others are imported: `import base from 'comptoir/modules/base'`.
export default base
