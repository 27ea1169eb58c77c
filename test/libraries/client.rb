# Ruby's XML-RPC client as its documentation has it: new2, call, proxies, faults. Run by debian.test.ts with address, database, login and password.
require 'xmlrpc/client'

url, db, login, password = ARGV

def same(expected, got, about)
  abort "#{about}: expected #{expected.inspect}, got #{got.inspect}" unless expected == got
end

common = XMLRPC::Client.new2("#{url}/xmlrpc/2/common")
same '19.0', common.call('version')['server_version'], 'version'
uid = common.call('authenticate', db, login, password, {})
same 2, uid, 'authenticate'
same false, common.call('authenticate', db, login, 'wrong', {}), 'a wrong password'

models = XMLRPC::Client.new2("#{url}/xmlrpc/2/object").proxy
kw = ->(*args) { models.execute_kw(db, uid, password, *args) }
same true, kw.call('res.partner', 'check_access_rights', ['read'], { raise_exception: false }), 'check_access_rights'
id = kw.call('res.partner', 'create', [{ name: 'Ruby é ☃', is_company: true, partner_latitude: 2.0 }])
same [{ 'id' => id, 'name' => 'Ruby é ☃', 'partner_latitude' => 2.0, 'email' => false }],
     kw.call('res.partner', 'read', [id], { fields: %w[name partner_latitude email] }), 'read of a bare id'
same [id], kw.call('res.partner', 'search', [[['id', '=', id], ['is_company', '=', true]]], { offset: 0, limit: 5 }), 'search'
same 1, kw.call('res.partner', 'search_count', [[['id', '=', id]]]), 'search_count'
same true, kw.call('res.partner', 'write', [[id], { name: 'Newer' }]), 'write'
same [[id, 'Newer']], kw.call('res.partner', 'name_search', ['Newer']), 'name_search'
same 'char', kw.call('res.partner', 'fields_get', [], { attributes: %w[string help type] })['name']['type'], 'fields_get'
rows = kw.call('res.partner', 'search_read', [[['id', '=', id]]], { fields: %w[name create_date] })
same 'Newer', rows[0]['name'], 'search_read'
begin
  kw.call('res.partner', 'write', [[id], { country_id: 999_999 }])
  abort 'no fault'
rescue XMLRPC::FaultException => e
  same 2, e.faultCode, 'the code of a fault'
end
begin
  models.execute_kw(db, uid, 'wrong', 'res.partner', 'read', [[id]])
  abort 'no fault'
rescue XMLRPC::FaultException => e
  same [3, 'Access Denied'], [e.faultCode, e.faultString], 'a wrong password'
end
ok, value = XMLRPC::Client.new2("#{url}/xmlrpc/2/object").call2('execute_kw', db, uid, password, 'res.partner', 'unlink', [[id]])
same [true, true], [ok, value], 'unlink by call2'
puts 'done'
