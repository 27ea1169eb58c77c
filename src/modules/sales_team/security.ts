// Levels of rights of selling: own documents, all documents, administrator (spec/business-models.md section
// 11).
import { type DataSet, recordRule, ref } from '#models'
import { accessLines, type Grants, implying, ofCompaniesOrNone } from '../base/index.ts'

const privileges: DataSet = {
  model: 'res.groups.privilege',
  records: {
    res_groups_privilege_sales: {
      name: 'Sales',
      sequence: 5,
      category_id: ref('base.module_category_sales'),
    },
  },
}

const sales = { privilege_id: ref('res_groups_privilege_sales') }

/** Each group after those that it implies. */
const groups: DataSet = {
  model: 'res.groups',
  records: {
    group_sale_salesman: {
      ...sales,
      name: 'User: Own Documents Only',
      sequence: 10,
      implied_ids: implying('base.group_user'),
      comment: 'Works with their own documents, and with those that have no salesperson.',
    },
    group_sale_salesman_all_leads: {
      ...sales,
      name: 'User: All Documents',
      sequence: 20,
      implied_ids: implying('group_sale_salesman'),
      comment: 'Works with the documents of everybody.',
    },
    group_sale_manager: {
      ...sales,
      name: 'Administrator',
      sequence: 30,
      implied_ids: implying('group_sale_salesman_all_leads'),
      user_ids: [
        [4, ref('base.user_root')],
        [4, ref('base.user_admin')],
      ],
      comment: 'Sets selling up: teams, pricelists, settings; and may delete.',
    },
  },
}

/** Everybody names campaigns; those who sell make them. */
const marketing: Grants = {
  'base.group_user': 'r',
  group_sale_salesman: 'rwc',
  group_sale_manager: 'rwcd',
  'base.group_system': 'rwcd',
}
const access = accessLines({
  'crm.team': { 'base.group_user': 'r', group_sale_manager: 'rwcd' },
  'crm.team.member': { 'base.group_user': 'r', group_sale_manager: 'rwcd' },
  'utm.campaign': marketing,
  'utm.medium': marketing,
  'utm.source': marketing,
  'utm.stage': marketing,
  'utm.tag': marketing,
  'crm.tag': { group_sale_salesman: 'rwc', group_sale_manager: 'rwcd' },
})

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    crm_team_comp_rule: recordRule('crm.team', ofCompaniesOrNone, { name: 'Sales teams of the companies' }),
  },
}

const teams: DataSet = {
  model: 'crm.team',
  noupdate: true,
  records: {
    team_sales_department: {
      name: 'Sales',
      company_id: false,
      member_ids: [[4, ref('base.user_admin')]],
    },
  },
}

export const data: readonly DataSet[] = [privileges, groups, access, rules, teams]
