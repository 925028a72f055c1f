// The reading Io of report_fields.h: takes the members of one parsed JSON object, checks the type
// and range of each, and says where in the report one is wrong. A member that is missing or null
// leaves what the Result has by default.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/bad_input.h"
#include "analyzer/report_fields.h"

namespace ftprof {

class JsonIn {
 public:
  template <class T>
  using As = T;
  using Json = nlohmann::json;

  // `where` names the object in messages: "sites[3]". `object` must outlive this.
  JsonIn(const Json& object, std::string where) : object_(&object), where_(std::move(where)) {
    if (!object.is_object()) refuse(where_, "an object", object);
  }

  template <class T>
  void field(const char* name, T& value) {
    if (const Json* found = find(name)) get(*found, value, name);
  }
  template <class T>
  void known(const char* name, T& value, const T& unknown) {
    value = unknown;
    field(name, value);
  }
  template <class Describe>
  void derived(Describe) {}
  template <class Describe>
  void object(const char* name, Describe describe) {
    const Json* found = find(name);
    if (!found) return;
    JsonIn inner(*found, path(name));
    std::swap(*this, inner);  // `describe` holds a reference to this
    describe();
    std::swap(*this, inner);
  }
  template <class T>
  void list(const char* name, std::vector<T>& items) {
    const Json* found = find(name);
    if (!found) return;
    for (const Json& item : array(*found, name)) {
      JsonIn inner(item, path(name) + "[" + std::to_string(items.size()) + "]");
      fields(inner, items.emplace_back());
    }
  }
  void owner(const char* name, Owner& owner);
  void environment(const char* name, std::map<std::string, std::string>& env);
  void by_phase(const char* name, std::map<std::string, std::pair<uint64_t, double>>& phases);

 private:
  const Json* find(const char* name) const;
  std::string path(const char* name) const { return where_.empty() ? name : where_ + "." + name; }
  const Json& array(const Json& found, const char* name) const;
  [[noreturn]] static void refuse(const std::string& where, const char* wanted, const Json& found);

  void get(const Json& found, std::string& value, const char* name) const;
  void get(const Json& found, bool& value, const char* name) const;
  void get(const Json& found, double& value, const char* name) const;
  void get(const Json& found, uint64_t& value, const char* name) const;
  void get(const Json& found, uint32_t& value, const char* name) const;
  template <class T>
  void get(const Json& found, std::optional<T>& value, const char* name) const {
    get(found, value.emplace(), name);
  }
  template <class T>
  void get(const Json& found, std::vector<T>& values, const char* name) const {
    for (const Json& item : array(found, name)) get(item, values.emplace_back(), name);
  }
  template <class T>
  void get(const Json& found, std::map<std::string, T>& values, const char* name) const {
    if (!found.is_object()) refuse(path(name), "an object", found);
    for (const auto& [key, value] : found.items()) get(value, values[key], name);
  }
  template <class T>
  void get(const Json& found, std::optional<std::map<std::string, T>>& values,
           const char* name) const {
    get(found, values.emplace(), name);
  }

  const Json* object_;
  std::string where_;
};

}  // namespace ftprof
