-- What programs keep outside of the project: databases, clusters, clouds, backups, secrets. Their own words say when it goes.
local words = require("words")
local set, any, text_of, is_unknown, name_of = words.set, words.any, words.text_of, words.is_unknown, words.name_of

local KEEPS = set("prisma drizzle-kit sequelize sequelize-cli typeorm mikro-orm knex flyway liquibase migrate dbmate goose diesel atlas sqlx sea-orm-cli alembic "
  .. "flask rails rake artisan console drush wp manage django-admin hasura influx cockroach helmfile terragrunt cdk cdktf sls serverless sam copilot eb eksctl "
  .. "kops k3d kind minikube vagrant multipass lxc incus virsh nomad glab tea hub heroku fly flyctl vercel netlify firebase supabase railway render wrangler "
  .. "turso pscale neon neonctl hcloud doctl linode-cli oci scw aliyun ibmcloud openstack nova mc ossutil s3cmd s4cmd s5cmd b2 azcopy gsutil rados rbd ceph "
  .. "consul etcdctl vault nats rabbitmqctl rabbitmqadmin pulsar-admin restic borg borgmatic duplicity rdiff-backup kopia bw op gopass pass security dvc "
  .. "dmsetup mysqladmin mariadb-admin helm terraform tofu pulumi")
-- What starts another program, whose words follow: `npx prisma@5 …`, `python -m alembic …`, `php artisan …`.
local STARTS = set("npx bunx pnpx pnpm yarn npm bun bundle python py php ruby symfony sail cargo dotnet java poetry pipenv pipx uvx hatch rye node deno")
-- Words that take something away: alone, as a part (`db:drop`, `drop:all`), and where `-` or `_` joins it only as the first
-- word (`drop-all`, `force_reset`): further back it is a name, as in `rails generate migration drop_users`.
local ALONE = "^(delete|destroy|drop|wipe|purge|flush|reset|remove|rm|rb|del|prune|forget|uninstall|erase|terminate|nuke)$"
local PART = "^([\\w.-]+:)+(delete|destroy|drop|wipe|purge|flush|reset|remove|rm|prune|truncate|fresh)([:_-][\\w:-]+)?$"
local FIRST = "^([a-z]+[_-])*(delete|destroy|drop|wipe|purge|flush|reset|remove|prune|terminate)([_-][\\w-]+)?$"
local FLAGS = "^--?(force-reset|accept-data-loss|destroy|delete-destination|remove-older-than)(=|$)"
-- What is made anew by itself: `wp cache flush`.
local RENEWED = "^(cache|rewrite|transient)$"
-- Words of their own: names of programs, and what is in their words, of which each has a blank before and behind it.
local OWN = {
  "aws: (batch-)?(delete|purge|terminate|deregister)-[a-z]", "(docker|podman|nerdctl)(-compose)?: down( .*)? (-[a-z]*v|--volumes|--rmi|[$`‹])",
  "kubectl|oc: replace .*--force| --force .*replace | --replicas[= ]0 | --prune ", "helm: (un|del) ", "pulumi: (down|dn) ", "railway: down ",
  "(terraform|tofu): -destroy ", "rails|rake: db:\\S*(schema:load|structure:load|replant)| d ",
  "artisan|sea-orm-cli|mikro-orm: (\\S+:)?(fresh|refresh) ", "manage|django-admin: (sqlflush|zero) ", "flyway|atlas: clean ",
  "alembic|flask: downgrade.* (base|zero) ", "knex: \\S*rollback.* --all ", "drizzle-kit: push.* --force ", "diesel: redo.* (-a|--all) ",
  "ibmcloud: \\S+-delete ", "sequelize(-cli)?: \\S*undo:all ", "goose: down-to ", "liquibase: rollback",
  "hasura: --down[= ]all |--all.* --down|--down.* --all", "firebase: \\S+:disable ", "vault: (disable|revoke) ", "tmutil: delete", "dvc: gc ",
  "gpg2?: --delete-", "keytool: -delete ", "ssh-add: -D ", "virsh: undefine ", "vboxmanage: --delete ", "swift: delete ",
  "cryptsetup: (erase|luks(Format|Erase|KillSlot|RemoveKey)) ", "mdadm: --zero-superblock", "kafka-[a-z-]+(\\.sh)?: (--delete|--reset-offsets) ",
  "kafka-delete-records(\\.sh)?: .", "netlify: api delete[A-Z]",
  "turso|wrangler|supabase|cockroach|snow|bq: (?i)\\b(drop|truncate|alter) (table|database|schema)\\b",
}
-- Programs that run code: behind which word it is, and in which language.
local GIVEN = {
  "py|sage|bpython|ipython|manage: -c: python", "rails: runner: ruby", "artisan: --execute: php", "electron|qjs|d8|rhino|ts-node|tsx: -e: node", "ghc|pike|io|swift: -e: other", "crystal: eval: other", "nim: e: other", "matlab: -batch: other",
}

-- `manage.py`, `prisma@5`, `bin/rails`, `python3.11`: a program by its plain name.
local function plain(name)
  local base = snaphook.regex.replace("^.*[/\\\\]|(.)@.*$", string.lower(name), "$1")
  base = snaphook.regex.replace("\\.(py|rb|js|jar|phar|sh)$", base, "")
  return (snaphook.regex.replace("^(python|php|ruby|node)[0-9.]+$", base, "$1"))
end

-- The patterns of a program's own words.
local function own(name)
  local patterns = {}
  for _, row in OWN do
    local names, pattern = string.match(row, "^(.-): (.*)$")
    if snaphook.regex.matches(`^({names})$`, name) then
      table.insert(patterns, " " .. pattern)
    end
  end
  return patterns
end

-- The program that is meant, and its words.
local function meant(cmd)
  local name, args = plain(name_of(cmd)), cmd.args
  for at, arg in if STARTS[name] then args else {} do
    local started = plain(text_of(arg))
    if KEEPS[started] or #own(started) > 0 then
      return started, table.move(args, at + 1, #args, 1, {})
    end
  end
  return name, args
end

-- Whether a command takes away what a program keeps.
local function takes(cmd)
  local name, args = meant(cmd)
  local text = " "
  for _, arg in args do
    text ..= text_of(arg) .. " "
  end
  if any(own(name), function(pattern) return snaphook.regex.matches(pattern, text) end) then
    return true
  elseif not KEEPS[name] then
    return false
  end
  local first = nil
  for _, arg in args do
    local word = string.lower(text_of(arg))
    local removes = PART
    if string.find(word, "^%-") then
      removes = FLAGS
    elseif not first then
      first, removes = word, `{ALONE}|{PART}|{FIRST}`
    elseif not snaphook.regex.matches(RENEWED, first) then
      removes = `{ALONE}|{PART}`
    end
    if snaphook.regex.matches(removes, word) then
      return true
    end
  end
  return #args > 0 and is_unknown(args[1])
end

-- The language and the text of code that a program is given, or nil.
local function given(cmd)
  local name, args = meant(cmd)
  for _, row in GIVEN do
    local names, option, language = string.match(row, "^(.-): (.-): (.*)$")
    for at, arg in if snaphook.regex.matches(`^({names})$`, name) then args else {} do
      local text = if type(arg) == "string" then arg else arg.text
      if text == option and args[at + 1] then
        return language, args[at + 1]
      elseif string.sub(text, 1, #option + 1) == option .. "=" then
        return language, string.sub(text, #option + 2)
      end
    end
  end
  return nil
end

return { takes = takes, given = given }
