#include "analyzer/json_in.h"

#include <limits>

namespace ftprof {

const JsonIn::Json* JsonIn::find(const char* name) const {
  auto found = object_->find(name);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const JsonIn::Json& JsonIn::array(const Json& found, const char* name) const {
  if (!found.is_array()) refuse(path(name), "an array", found);
  return found;
}

void JsonIn::refuse(const std::string& where, const char* wanted, const Json& found) {
  throw BadInput(where + ": expected " + wanted + ", found " + found.type_name());
}

void JsonIn::get(const Json& found, std::string& value, const char* name) const {
  if (!found.is_string()) refuse(path(name), "text", found);
  value = found.get_ref<const std::string&>();
}

void JsonIn::get(const Json& found, bool& value, const char* name) const {
  if (!found.is_boolean()) refuse(path(name), "true or false", found);
  value = found.get<bool>();
}

void JsonIn::get(const Json& found, double& value, const char* name) const {
  if (!found.is_number()) refuse(path(name), "a number", found);
  value = found.get<double>();
}

void JsonIn::get(const Json& found, uint64_t& value, const char* name) const {
  if (!found.is_number_unsigned()) refuse(path(name), "a whole number, not negative", found);
  value = found.get<uint64_t>();
}

void JsonIn::get(const Json& found, uint32_t& value, const char* name) const {
  uint64_t wide = 0;
  get(found, wide, name);
  if (wide > std::numeric_limits<uint32_t>::max())
    throw BadInput(path(name) + ": " + std::to_string(wide) + " is too large");
  value = static_cast<uint32_t>(wide);
}

void JsonIn::owner(const char* name, Owner& owner) {
  std::string text;
  field(name, text);
  for (int i = 0; i < kOwners; ++i) {
    owner = static_cast<Owner>(i);
    if (text == owner_name(owner)) return;
  }
  throw BadInput(path(name) + ": \"" + text.substr(0, 40) + "\" is no owner of faults");
}

void JsonIn::environment(const char* name, std::map<std::string, std::string>& env) {
  object(name, [&] { field("env", env); });
}

void JsonIn::by_phase(const char* name,
                      std::map<std::string, std::pair<uint64_t, double>>& phases) {
  const Json* found = find(name);
  if (!found) return;
  for (const Json& item : array(*found, name)) {
    JsonIn inner(item, path(name));
    std::string phase;
    inner.field("name", phase);
    auto& [faults, cost_ns] = phases[phase];
    inner.field("faults", faults);
    inner.field("cost_ns", cost_ns);
  }
}

}  // namespace ftprof
